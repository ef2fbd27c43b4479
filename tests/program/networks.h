// networks.h: small QDQ networks for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {

using Constants = std::vector<std::pair<std::string, Tensor>>;

inline Model network(std::string_view text, std::vector<Value> inputs, const Constants& constants, int opset = 13) {
  Model model = model_from(text, std::move(inputs), opset);
  model.opset_imports.emplace_back("com.microsoft", 1);
  for (const auto& [name, tensor] : constants) add_initializer(model, name, tensor);
  return model;
}

inline Tensor f(float value) { return Tensor::scalar(value); }
inline Tensor s8(std::int8_t value) { return Tensor::scalar<std::int8_t>(value); }
inline Tensor u8(std::uint8_t value) { return Tensor::scalar<std::uint8_t>(value); }

// int8 [1,2,1,2] * [2,2,1,1] + int32[2] -> int8; scales 0.5, {0.25, 0.5} and 1.
struct ConvolutionParts {
  std::string behind = "t";  // what QuantizeLinear reads
  std::string clamp;         // a node from t to it
  float bias_scale = 0.125F;
  std::int8_t y_zero_point = -128;
};
inline Model convolution(const ConvolutionParts& parts = {}) {
  return network(
      "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n"
      " b = DequantizeLinear <axis: int = 0> (bq, bs)\n t = Conv (a, w, b)\n" +
          parts.clamp + " y = QuantizeLinear (" + parts.behind + ", ys, yz) }",
      {value("x", DType::kInt8, SymbolicShape{1, 2, 1, 2})},
      {{"xs", f(0.5F)},
       {"xz", s8(3)},
       {"wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7})},
       {"ws", Tensor::from<float>({2}, {0.25F, 0.5F})},
       {"wz", Tensor::from<std::int8_t>({2}, {0, 0})},
       {"bq", Tensor::from<std::int32_t>({2}, {10, -20})},
       {"bs", Tensor::from<float>({2}, {parts.bias_scale, 0.25F})},
       {"ys", f(1)},
       {"yz", s8(parts.y_zero_point)}});
}

inline std::vector<std::string> operators_of(const Program& program) {
  std::vector<std::string> names;
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations) names.emplace_back(operation.op->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace octet
