#include "octet/quantize/selection.h"

#include <algorithm>
#include <utility>

#include "octet/base/fail.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

bool matches(const ValueCondition& condition, const std::vector<std::string>& values, std::size_t index,
             const Facts& facts) {
  const auto it = index < values.size() ? facts.find(values[index]) : facts.end();
  if (it == facts.end()) return false;
  const Fact& fact = it->second;
  if (condition.dtype && fact.dtype != *condition.dtype) return false;
  if (!condition.rank && condition.dims.empty()) return true;
  if (!fact.shape) return false;
  const auto rank = static_cast<std::int64_t>(fact.shape->size());
  if (condition.rank && !condition.rank->holds(rank)) return false;
  return std::all_of(condition.dims.begin(), condition.dims.end(), [&](const auto& entry) {
    const std::int64_t axis = entry.first < 0 ? entry.first + rank : entry.first;
    if (axis < 0 || axis >= rank) return false;
    const Dim& dim = (*fact.shape)[static_cast<std::size_t>(axis)];
    return dim.known() && entry.second.holds(dim.value());
  });
}

bool matches(const NodeRule& rule, const Node& node, const Facts& facts) {
  if (rule.op_type && *rule.op_type != node.op_type) return false;
  if (rule.name && !rule.name->is_in(name_of(node))) return false;
  const auto all = [&](const std::map<std::size_t, ValueCondition>& conditions,
                       const std::vector<std::string>& values) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const auto& entry) { return matches(entry.second, values, entry.first, facts); });
  };
  return all(rule.inputs, node.inputs) && all(rule.outputs, node.outputs);
}

}  // namespace

const std::string& name_of(const Node& node) {
  return node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
}

Selection::Selection(std::vector<std::string> op_types, const std::vector<std::string>& exclude,
                     std::vector<NodeRule> rules)
    : op_types_(std::move(op_types)), rules_(std::move(rules)) {
  for (const std::string& text : exclude) exclude_.emplace_back(text);
}

NodeChoice Selection::choose(const Node& node, const Facts& facts) const {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (matches(rules_[i], node, facts)) {
      NodeChoice choice = rules_[i].choice;
      if (!choice.quantize) choice.reason = fmt::format("rule {} says so", i + 1);
      return choice;
    }
  for (const Pattern& pattern : exclude_)
    if (pattern.is_in(name_of(node))) return {.quantize = false, .reason = "excluded by " + pattern.shown()};
  if (!op_types_.empty() && std::find(op_types_.begin(), op_types_.end(), node.op_type) == op_types_.end())
    return {.quantize = false, .reason = "not among the operator types asked for"};
  return {};
}

std::vector<std::string> Selection::unmatched(const Model& model, const Facts& facts) const {
  const auto any = [&](const auto& condition) {
    return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), condition);
  };
  std::vector<std::string> result;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (!any([&](const Node& node) { return matches(rules_[i], node, facts); }))
      result.push_back(fmt::format("rule {} matches no node", i + 1));
  const auto is_there = [&](const std::string& op_type) {
    return any([&](const Node& node) { return node.op_type == op_type; });
  };
  const auto is_asked_for = [&](const std::string& op_type) {
    return std::ranges::find(op_types_, op_type) != op_types_.end();
  };
  for (const std::string& op_type : op_types_) {
    const auto [first, second] = std::pair(ops::kMatMul.name, ops::kGemm.name);  // onnx-mlir's MatMul is both
    const std::string other(op_type == first ? second : op_type == second ? first : op_type);
    if (!is_there(op_type) && !(is_asked_for(other) && is_there(other))) result.push_back("no node is a " + op_type);
  }
  return result;
}

void Selection::require_exclusions(const Model& model) const {
  for (const Pattern& pattern : exclude_)
    if (std::ranges::none_of(model.graph.nodes, [&](const Node& node) { return pattern.is_in(name_of(node)); }))
      fail(ErrorCode::kUsage, "--exclude {} matches no node; octet inspect lists their names", pattern.shown());
}

}  // namespace octet
