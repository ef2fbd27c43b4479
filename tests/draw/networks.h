// networks.h: a small QDQ network with a residual block, for tests of pictures.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "octet/draw/picture.h"
#include "tests/support/models.h"

namespace octet {

// x -> Conv c -> Add s (with x again) -> Softmax y; weights per channel.
inline Model residual_network() {
  Model model = model_from(
      "main (x) => (y) { q = QuantizeLinear (x, xs, xz)\n d = DequantizeLinear (q, xs, xz)\n"
      " w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n b = DequantizeLinear <axis: int = 0> (bq, bs, bz)\n"
      " c = Conv <kernel_shape: ints = [1, 1]> (d, w, b)\n cq = QuantizeLinear (c, cs, cz)\n"
      " cd = DequantizeLinear (cq, cs, cz)\n s = Add (cd, d)\n sq = QuantizeLinear (s, ss, sz)\n"
      " sd = DequantizeLinear (sq, ss, sz)\n y = Softmax (sd) }",
      {value("x", DType::kFloat, {{1, 2, 4, 4}})});
  model.opset_imports.emplace_back("com.microsoft", 1);
  add_initializer(model, "xs", Tensor::scalar(0.5F));
  add_initializer(model, "xz", Tensor::scalar<std::int8_t>(3));
  add_initializer(model, "wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7}));
  add_initializer(model, "ws", Tensor::from<float>({2}, {0.25F, 0.5F}));
  add_initializer(model, "wz", Tensor::from<std::int8_t>({2}, {0, 0}));
  add_initializer(model, "bq", Tensor::from<std::int32_t>({2}, {10, -20}));
  add_initializer(model, "bs", Tensor::from<float>({2}, {0.125F, 0.25F}));
  add_initializer(model, "bz", Tensor::from<std::int32_t>({2}, {0, 0}));
  add_initializer(model, "cs", Tensor::scalar(2.0F));
  add_initializer(model, "cz", Tensor::scalar<std::int8_t>(-5));
  add_initializer(model, "ss", Tensor::scalar(4.0F));
  add_initializer(model, "sz", Tensor::scalar<std::int8_t>(7));
  return model;
}

// A node's name; of a fork, "•".
inline std::string called(const Picture& picture, std::size_t node) {
  return picture.nodes[node].kind == NodeKind::kFork ? "•" : picture.nodes[node].name;
}

// The wires as "from > to", or "from > to: first line | second line"; in the order of the picture.
inline std::vector<std::string> wires_of(const Picture& picture) {
  std::vector<std::string> texts;
  for (const PictureWire& wire : picture.wires) {
    std::string text = called(picture, wire.from) + " > " + called(picture, wire.to);
    for (const PictureLine& line : wire.lines) text += (&line == &wire.lines[0] ? ": " : " | ") + line.text;
    texts.push_back(text);
  }
  return texts;
}

inline std::vector<std::string> names_of(const Picture& picture) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) names.push_back(called(picture, i));
  return names;
}

inline const PictureNode& node_called(const Picture& picture, std::string_view name) {
  const auto found =
      std::find_if(picture.nodes.begin(), picture.nodes.end(), [&](const PictureNode& n) { return n.name == name; });
  if (found == picture.nodes.end()) throw Error(ErrorCode::kUsage, "the picture has no node " + std::string(name));
  return *found;
}

using Names = std::vector<std::string>;

}  // namespace octet
