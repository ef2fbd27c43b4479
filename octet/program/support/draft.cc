#include "octet/program/support/draft.h"

#include <algorithm>
#include <functional>

#include "octet/graph/index.h"
#include "octet/graph/lookup.h"

namespace octet {

Draft::Draft(Model model) : model_(std::move(model)), facts_(infer(model_)), names_(model_.graph) {
  const Graph& graph = model_.graph;
  for (const Initializer& initializer : graph.initializers) constants_.emplace(initializer.name, initializer.tensor);
  for (const Value& input : graph.inputs) constants_.erase(input.name);  // a default that the caller may replace
  for (const Value& output : graph.outputs) outputs_.insert(output.name);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    steps_.push_back({.name = node.name.empty() ? node.outputs.front() : node.name, .nodes = {node}, .sources = {i}});
    connect(i);
  }
  after_.resize(steps_.size());
}

const Facts& Draft::proven() const {
  if (proven_) return *proven_;
  Model model = model_;
  model.graph.value_info.clear();
  for (Value& output : model.graph.outputs) output.type.shape.reset();
  return proven_.emplace(infer(model));
}

bool Draft::is(std::size_t index, const Operator& op) const {
  return steps_[index].nodes.size() == 1 && octet::is(node(index), op);
}

void Draft::connect(std::size_t index) {
  for (const Node& node : steps_[index].nodes) {
    for (const std::string& input : values_read(node)) readers_[input].insert(index);
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      producers_[output] = index;
      names_.take(output);
    }
  }
}

void Draft::disconnect(std::size_t index) {
  for (const Node& node : steps_[index].nodes) {
    for (const std::string& input : values_read(node)) readers_[input].erase(index);
    for (const std::string& output : node.outputs) producers_.erase(output);
  }
}

std::optional<std::size_t> Draft::producer(std::string_view value) const {
  const auto it = producers_.find(value);
  return it == producers_.end() ? std::nullopt : std::optional(it->second);
}

const std::set<std::size_t>& Draft::readers(std::string_view value) const {
  static const std::set<std::size_t> none;
  const auto it = readers_.find(value);
  return it == readers_.end() ? none : it->second;
}

std::optional<std::size_t> Draft::only_reader(std::string_view value) const {
  const std::set<std::size_t>& all = readers(value);
  return all.size() == 1 && !is_output(value) ? std::optional(*all.begin()) : std::nullopt;
}

const Tensor* Draft::constant(std::string_view value) const {
  const auto it = constants_.find(value);
  return it == constants_.end() || it->second.empty() ? nullptr : &it->second;
}

DType Draft::dtype(std::string_view value) const {
  if (const Tensor* known = constant(value)) return known->dtype();
  const auto it = facts_.find(value);
  return it == facts_.end() ? DType::kUndefined : it->second.dtype;
}

void Draft::set_dtype(const std::string& value, DType dtype) { facts_[value].dtype = dtype; }

std::string Draft::add_constant(const std::string& wish, Tensor tensor) {
  const std::string name = new_name(wish);
  facts_[name] = Fact::of(tensor);
  constants_.emplace(name, tensor);
  model_.graph.initializers.push_back({.name = name, .tensor = std::move(tensor)});
  return name;
}

void Draft::replace(std::size_t index, DraftStep step) {
  disconnect(index);
  steps_[index] = std::move(step);
  connect(index);
}

void Draft::insert_after(std::size_t index, DraftStep step) {
  steps_.push_back(std::move(step));
  after_.emplace_back();
  after_[index].insert(after_[index].begin(), steps_.size() - 1);
  connect(steps_.size() - 1);
}

void Draft::decline(std::size_t index, std::string reason) { steps_[index].reason = std::move(reason); }

std::vector<DraftStep> Draft::take_steps() {
  std::vector<std::size_t> order;
  const std::size_t in_file = model_.graph.nodes.size();
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < in_file; ++i) {
    pending.push_back(i);
    while (!pending.empty()) {
      const std::size_t next = pending.back();
      pending.pop_back();
      order.push_back(next);
      pending.insert(pending.end(), after_[next].rbegin(), after_[next].rend());
    }
  }

  std::set<std::string, std::less<>> needed = outputs_;
  std::vector<DraftStep> result;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    DraftStep& step = steps_[*it];
    const bool used = std::any_of(step.nodes.begin(), step.nodes.end(), [&](const Node& node) {
      return std::any_of(node.outputs.begin(), node.outputs.end(),
                         [&](const std::string& output) { return needed.contains(output); });
    });
    if (!used) continue;
    for (const Node& node : step.nodes)
      for (const std::string& input : values_read(node)) needed.insert(input);
    result.push_back(std::move(step));
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace octet
