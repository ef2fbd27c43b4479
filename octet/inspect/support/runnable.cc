#include "octet/inspect/support/runnable.h"

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/graph/standard_functions.h"

namespace octet {
namespace {

constexpr int kDeepest = 100;  // calls inside calls, as expand_functions has it

}  // namespace

Runnable::Runnable(const Model& model) : model_(model) {
  for (const Function& function : model.functions)
    functions_.emplace(Key(function.domain, function.name, function.overload), &function);
}

bool Runnable::runs(const Node& node, int opset) {
  if (const auto local = functions_.find(key(node)); local != functions_.end()) {
    // False while its body is looked at: a function that calls itself does not run.
    const auto [known, is_new] = known_.emplace(local->second, false);
    if (is_new) known->second = body_runs(*local->second);
    return known->second;
  }
  Node named;
  named.op_type = node.op_type;
  named.domain = node.domain;
  named.opset = opset;
  if (find_operator(model_, named)) return graphs_run(node);
  const std::optional<Function> function = standard_function(node, opset);
  return function && body_runs(*function);
}

bool Runnable::graphs_run(const Node& node) {
  if (depth_ >= kDeepest) return false;
  ++depth_;
  bool all = true;
  for (const auto& [name, attribute] : node.subgraphs)
    for (const Graph& graph : attribute.graphs)
      all = all && std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& inner) { return runs(inner); });
  --depth_;
  return all;
}

bool Runnable::body_runs(const Function& function) {
  if (depth_ >= kDeepest) return false;
  ++depth_;
  const bool all = std::all_of(function.nodes.begin(), function.nodes.end(), [&](const Node& node) {
    for (const auto& [domain, version] : function.opset_imports)
      if (domain == node.domain) return runs(node, static_cast<int>(version));
    return runs(node);
  });
  --depth_;
  return all;
}

}  // namespace octet
