#include "octet/quantize/observable.h"

#include <algorithm>
#include <set>

#include "octet/base/fail.h"
#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/standard_functions.h"
#include "octet/program/computable.h"
#include "octet/quantize/plan.h"

namespace octet {

std::map<std::string, std::string> unobservable_values(const Model& model) {
  std::map<std::string, std::string> lost;
  for (const Node& node : model.graph.nodes) {
    std::string needs;
    for (const std::string& value : values_read(node))
      if (const auto found = lost.find(value); found != lost.end()) needs = found->second;
    if (needs.empty() && !standard_function(node, model.opset(node)) && !is_computable(model, node))
      needs = describe(node);
    if (needs.empty()) continue;
    for (const std::string& output : node.outputs)
      if (!output.empty()) lost[output] = needs;
  }
  return lost;
}

Model observable_part(Model model) {
  const std::map<std::string, std::string> lost = unobservable_values(model);
  if (lost.empty()) return model;
  const auto is_lost = [&](const std::string& value) { return lost.contains(value); };
  std::vector<Node> kept;
  std::set<std::string> read, made;
  for (Node& node : model.graph.nodes) {
    if (std::ranges::any_of(node.outputs, is_lost)) {
      read.merge(values_read(node));
    } else {
      made.insert(node.outputs.begin(), node.outputs.end());
      kept.push_back(std::move(node));
    }
  }
  if (kept.empty())
    fail(ErrorCode::kUnsupported,
         "every node depends on {}, which Octet does not compute: there is nothing to calibrate", lost.begin()->second);
  model.graph.nodes = std::move(kept);
  std::erase_if(model.graph.outputs, [&](const Value& output) { return is_lost(output.name); });
  for (const Value& output : model.graph.outputs) read.erase(output.name);
  for (const std::string& value : read)
    if (made.contains(value)) model.graph.outputs.push_back({.name = value});
  return remove_unused(std::move(model));
}

std::set<std::string> tensors_to_observe(const Model& model) {
  const Facts facts = infer(model);
  std::set<std::string> tensors;
  for (const Node& node : model.graph.nodes) {
    const Rule* rule = find_rule(node.domain, node.op_type);
    if (!rule) continue;
    for (const auto* values : {&node.inputs, &node.outputs})
      for (const std::string& value : *values) {
        const auto it = facts.find(value);
        if (it != facts.end() && it->second.dtype == DType::kFloat && it->second.constant.empty())
          tensors.insert(value);
      }
  }
  return tensors;
}

}  // namespace octet
