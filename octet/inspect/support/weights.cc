#include "octet/inspect/support/weights.h"

#include <algorithm>
#include <array>

#include "octet/graph/lookup.h"
#include "octet/inspect/support/quantization.h"

namespace octet {
namespace {

constexpr std::array kCarriers = {&ops::kQuantizeLinear, &ops::kDequantizeLinear, &ops::kCast,
                                  &ops::kIdentity,       &ops::kReshape,          &ops::kTranspose,
                                  &ops::kSqueeze,        &ops::kUnsqueeze,        &ops::kFlatten};

bool is_carrier(const Node& node) {
  return std::any_of(kCarriers.begin(), kCarriers.end(), [&](const Operator* op) { return is(node, *op); });
}

bool may_be_weight(DType dtype) {
  return dtype != DType::kUndefined && dtype != DType::kInt64 && dtype != DType::kBool && dtype != DType::kString;
}

// The stored tensor behind a value, and its name; an empty tensor when there is none.
std::pair<std::string_view, Tensor> stored_behind(std::string_view name, const ModelIndex& index) {
  for (;;) {
    if (const Initializer* initializer = index.initializer(name)) return {name, initializer->tensor};
    const Node* producer = index.producer(name);
    if (!producer) return {};
    if (is(*producer, ops::kConstant)) {
      const Fact* fact = index.fact(name);
      return {name, fact ? fact->constant : Tensor()};
    }
    if (!is_carrier(*producer)) return {};
    name = input_of(*producer, 0);
  }
}

}  // namespace

std::set<std::string_view> quantization_parameters(const Model& model) {
  std::set<std::string_view> names;
  for (const Node& node : model.graph.nodes)
    for (const std::string_view name : parameter_inputs(node)) names.insert(name);
  return names;
}

std::vector<WeightReport> weights_of(const Node& node, const ModelIndex& index,
                                     const std::set<std::string_view>& parameters) {
  std::vector<WeightReport> weights;
  if (is_carrier(node)) return weights;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto& [name, tensor] = stored_behind(node.inputs[i], index);
    if (!may_be_weight(tensor.dtype()) || parameters.contains(name)) continue;
    weights.push_back({std::string(name), i, tensor.dtype(), tensor.shape(), tensor.size()});
  }
  return weights;
}

}  // namespace octet
