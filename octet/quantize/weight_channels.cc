#include "octet/quantize/weight_channels.h"

#include "octet/graph/lookup.h"

namespace octet {

std::optional<std::int64_t> channel_axis(const Node& node, const Tensor& weights) {
  if (is(node, ops::kConv)) return 0;
  if (is(node, ops::kConvTranspose) && node.attributes.get_int("group", 1) == 1) return 1;
  if (is(node, ops::kGemm)) return node.attributes.get_int("transB", 0) ? 0 : 1;
  if (is(node, ops::kMatMul) && weights.rank() == 2) return 1;
  return std::nullopt;
}

std::optional<WeightChannels> output_channels(const Node& node, const Tensor& weights) {
  const std::optional<std::int64_t> axis = channel_axis(node, weights);
  const Shape& shape = weights.shape();
  if (!axis || is(node, ops::kConvTranspose) || weights.size() == 0) return std::nullopt;
  if (*axis == 0) return WeightChannels{1, shape[0], element_count(std::span(shape).subspan(1))};
  return WeightChannels{shape[0], shape[1], 1};
}

std::optional<WeightChannels> input_channels(const Node& node, const Tensor& weights) {
  const Shape& shape = weights.shape();
  if (weights.size() == 0) return std::nullopt;
  if (is(node, ops::kConv) && shape.size() >= 3) {
    const std::int64_t groups = node.attributes.get_int("group", 1);
    if (groups < 1 || shape[0] % groups != 0) return std::nullopt;
    return WeightChannels{shape[0], shape[1], element_count(std::span(shape).subspan(2)), groups};
  }
  if (shape.size() != 2) return std::nullopt;
  if (is(node, ops::kGemm) && node.attributes.get_int("transB", 0) != 0) return WeightChannels{shape[0], shape[1], 1};
  if (is(node, ops::kGemm) || is(node, ops::kMatMul)) return WeightChannels{1, shape[0], shape[1]};
  return std::nullopt;
}

bool is_plain_layer(const Node& node) {
  return node.inputs.size() >= 2 && !node.outputs.empty() &&
         (is(node, ops::kConv) || is(node, ops::kMatMul) ||
          (is(node, ops::kGemm) && node.attributes.get_int("transA", 0) == 0 &&
           node.attributes.get_float("alpha", 1) == 1 && node.attributes.get_float("beta", 1) == 1));
}

}  // namespace octet
