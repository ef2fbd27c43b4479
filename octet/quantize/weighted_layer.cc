#include "octet/quantize/weighted_layer.h"

#include "octet/graph/lookup.h"
#include "octet/quantize/weight_channels.h"

namespace octet {
namespace {

bool is_float32_value(const Facts& facts, const std::string& value) {
  const auto found = facts.find(value);
  return found != facts.end() && found->second.dtype == DType::kFloat;
}

// Whether the bias of a Gemm is one number per column of its constant weights.
bool is_per_column(const Tensor& bias, const Node& gemm, const Tensor& weights) {
  if (bias.size() != 1) return !bias.shape().empty() && bias.size() == bias.shape().back();
  const std::optional<std::int64_t> axis = channel_axis(gemm, weights);
  return !axis || weights.shape()[static_cast<std::size_t>(*axis)] == 1;
}

std::string bias_obstacle(const Graph& graph, const Node& layer, const Tensor* weights) {
  if (layer.inputs.size() < 3 || layer.inputs[2].empty()) return {};
  const Tensor* bias = constant_of(graph, layer.inputs[2]);
  if (!bias) return "its bias is not constant";
  if (is(layer, ops::kGemm) && !is_per_column(*bias, layer, *weights)) return "its bias is not one number per column";
  return {};
}

}  // namespace

const Tensor* constant_of(const Graph& graph, const std::string& value) {
  const Initializer* initializer = find_initializer(graph, value);
  return initializer && !initializer->tensor.empty() ? &initializer->tensor : nullptr;
}

bool has_computed_weights(const Graph& graph, const Node& layer) {
  return (is(layer, ops::kMatMul) || is(layer, ops::kConv)) && layer.inputs.size() > 1 &&
         !constant_of(graph, layer.inputs[1]);
}

std::string weighted_layer_obstacle(const Graph& graph, const Facts& facts, const Node& layer) {
  const bool computed = has_computed_weights(graph, layer);
  const bool constant_product = computed && is(layer, ops::kMatMul);
  if (layer.inputs.size() < 2 || (constant_of(graph, layer.inputs[0]) && !constant_product))
    return "its first input is a constant";
  const Tensor* weights = constant_of(graph, layer.inputs[1]);
  if (!weights && !computed) return "its weights are not constant";
  if (!is_float32_value(facts, layer.inputs[1]) || (weights && weights->size() == 0))
    return "its weights are not float32";
  if (is(layer, ops::kGemm) &&
      (layer.attributes.get_int("transA", 0) != 0 || layer.attributes.get_float("alpha", 1) != 1))
    return "Gemm with transA or alpha";
  return bias_obstacle(graph, layer, weights);
}

}  // namespace octet
