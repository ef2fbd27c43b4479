#include <algorithm>
#include <set>

#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {
namespace {

bool is_if(const Node& node) { return node.domain.empty() && is(node, ops::kIf) && node.inputs.size() == 1; }

// What is known whatever the caller gives: an initializer that an input repeats is only a default.
Facts certain_facts(Model model) {
  std::set<std::string> inputs;
  for (const Value& input : model.graph.inputs) inputs.insert(input.name);
  std::erase_if(model.graph.initializers,
                [&](const Initializer& initializer) { return inputs.contains(initializer.name); });
  return infer(model, [](const Error&) {});
}

// The branch that is always taken, or null.
Graph* taken_branch(Node& node, const Facts& facts) {
  const auto cond = facts.find(node.inputs[0]);
  if (cond == facts.end() || cond->second.constant.dtype() != DType::kBool || cond->second.constant.size() != 1)
    return nullptr;
  const auto branch = node.subgraphs.find(cond->second.constant.int_at(0) != 0 ? "then_branch" : "else_branch");
  if (branch == node.subgraphs.end() || branch->second.graphs.size() != 1) return nullptr;
  Graph& graph = branch->second.graphs[0];
  return graph.inputs.empty() && graph.outputs.size() == node.outputs.size() ? &graph : nullptr;
}

void move_in(Node node, Graph& branch, Graph& to, std::vector<Node>& nodes) {
  const std::string prefix = (node.name.empty() ? node.outputs.front() : node.name) + "/";
  for (Initializer& initializer : branch.initializers) to.initializers.push_back(std::move(initializer));
  for (Node& inner : branch.nodes) {
    inner.name = prefix + (inner.name.empty() ? inner.op_type : inner.name);
    nodes.push_back(std::move(inner));
  }
  for (std::size_t k = 0; k < node.outputs.size(); ++k)
    if (!node.outputs[k].empty())
      nodes.push_back({.name = prefix + node.outputs[k],
                       .op_type = "Identity",
                       .inputs = {branch.outputs[k].name},
                       .outputs = {node.outputs[k]}});
}

}  // namespace

Model inline_branches(Model model) {
  for (bool changed = true; changed;) {
    changed = false;
    Graph& graph = model.graph;
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_if)) break;
    const Facts facts = certain_facts(model);
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
      Graph* branch = is_if(node) ? taken_branch(node, facts) : nullptr;
      if (!branch) {
        nodes.push_back(std::move(node));
        continue;
      }
      Graph taken = std::move(*branch);
      move_in(std::move(node), taken, graph, nodes);
      changed = true;
    }
    graph.nodes = std::move(nodes);
  }
  return model;
}

}  // namespace octet
