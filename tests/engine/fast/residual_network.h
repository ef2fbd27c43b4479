// residual_network.h: a small network of 8-bit integers whose steps all have kernels.
#pragma once

#include "octet/engine/engine.h"
#include "octet/spec/random.h"
#include "octet/spec/registry.h"
#include "tests/program/networks.h"

namespace octet {

inline Tensor random_bytes(DType type, const Shape& shape, std::uint64_t seed) {
  Tensor tensor(type, shape);
  for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(seed = mix(seed));
  return tensor;
}

// A residual block with a clamp, then a depthwise and a pointwise convolution, a pool and a classifier: of any number of
// images. Weights are small enough for each way to multiply.
inline Model residual_network() {
  const auto weights = [](const Shape& shape, std::uint64_t seed) {
    Tensor w = random_bytes(DType::kInt8, shape, seed);
    for (std::int8_t& weight : w.mutable_as<std::int8_t>()) weight = static_cast<std::int8_t>(weight / 8);
    return w;
  };
  Model model = network(R"(main (x) => (y) {
  a = QLinearConv <pads: ints = [1, 1, 1, 1]> (x, s, z, w, ws, wz, s, z)
  b = QLinearConv <pads: ints = [1, 1, 1, 1]> (a, s, z, v, ws, wz, s, z)
  c = QLinearAdd (b, s, z, a, s, z, s, z)
  d = Clip (c, low, high)
  e = QLinearConv <group: int = 20, strides: ints = [2, 2]> (d, s, z, depthwise, ws, wz, s, z)
  f = QLinearConv (e, s, z, pointwise, ws, wz, s, z)
  g = QLinearGlobalAveragePool (f, s, z, s, z)
  h = Flatten (g)
  y = QLinearMatMul (h, s, z, classifier, ws, wz, s, z)
})",
                        {value("x", DType::kUint8, {{N(), 12, 9, 11}})},
                        {{"s", f(0.05F)},
                         {"z", u8(121)},
                         {"ws", f(0.01F)},
                         {"wz", s8(0)},
                         {"low", u8(60)},
                         {"high", u8(200)},
                         {"w", weights({20, 12, 3, 3}, 1)},
                         {"v", weights({20, 20, 3, 3}, 2)},
                         {"depthwise", weights({20, 1, 3, 3}, 3)},
                         {"pointwise", weights({24, 20, 1, 1}, 4)},
                         {"classifier", weights({24, 10}, 5)}});
  for (Node& node : model.graph.nodes)
    if (!find_operator("", node.op_type)) node.domain = "com.microsoft";
  return model;
}

inline NamedTensors residual_inputs(std::int64_t batch) {
  return {{"x", random_bytes(DType::kUint8, {batch, 12, 9, 11}, static_cast<std::uint64_t>(batch))}};
}

}  // namespace octet
