#include "octet/inspect/support/model_index.h"

#include <utility>

namespace octet {
namespace {

template <typename Map>
auto* find_in(const Map& map, std::string_view name) {
  const auto it = map.find(name);
  return it == map.end() ? nullptr : it->second;
}

}  // namespace

ModelIndex::ModelIndex(const Model& model, Facts facts) : model_(model), facts_(std::move(facts)) {
  for (const Initializer& initializer : model.graph.initializers) initializers_.emplace(initializer.name, &initializer);
  for (const Value& output : model.graph.outputs) outputs_.emplace(output.name, &output);
  for (const Node& node : model.graph.nodes) {
    for (const std::string& output : node.outputs) producers_.emplace(output, &node);
    for (const std::string& input : node.inputs) consumers_[input].push_back(&node);
  }
}

const Fact* ModelIndex::fact(std::string_view name) const {
  const auto it = facts_.find(name);
  return it == facts_.end() ? nullptr : &it->second;
}

const Initializer* ModelIndex::initializer(std::string_view name) const { return find_in(initializers_, name); }
const Node* ModelIndex::producer(std::string_view name) const { return find_in(producers_, name); }

std::span<const Node* const> ModelIndex::consumers(std::string_view name) const {
  const auto it = consumers_.find(name);
  if (it == consumers_.end()) return {};
  return it->second;
}

Origin ModelIndex::origin(std::string_view name) const {
  if (name.empty()) return Origin::kAbsent;
  if (initializer(name)) return Origin::kInitializer;
  if (!producer(name)) return Origin::kInput;
  const Fact* known = fact(name);
  return known && !known->constant.empty() ? Origin::kConstant : Origin::kRuntime;
}

ValueReport ModelIndex::value(const std::string& name) const {
  ValueReport report{name, DType::kUndefined, std::nullopt, origin(name)};
  if (const Fact* known = fact(name)) {
    report.dtype = known->dtype;
    report.shape = known->shape;
  }
  return report;
}

std::string_view input_of(const Node& node, std::size_t i) {
  return i < node.inputs.size() ? std::string_view(node.inputs[i]) : std::string_view();
}

std::string_view output_of(const Node& node, std::size_t i) {
  return i < node.outputs.size() ? std::string_view(node.outputs[i]) : std::string_view();
}

}  // namespace octet
