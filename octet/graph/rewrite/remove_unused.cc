#include <algorithm>
#include <set>

#include "octet/graph/index.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {

Model remove_unused(Model model) {
  Graph& graph = model.graph;
  std::set<std::string> needed;
  for (const Value& output : graph.outputs) needed.insert(output.name);

  std::vector<Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool used = std::any_of(node->outputs.begin(), node->outputs.end(),
                                  [&](const std::string& output) { return needed.contains(output); });
    if (!used) continue;
    needed.merge(values_read(*node));
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);

  std::set<std::string> inputs, made;
  for (const Value& input : graph.inputs) inputs.insert(input.name);
  for (const Node& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::erase_if(graph.initializers, [&](const Initializer& initializer) {
    return !needed.contains(initializer.name) && !inputs.contains(initializer.name);
  });
  std::erase_if(graph.value_info, [&](const Value& value) { return !made.contains(value.name); });
  return model;
}

}  // namespace octet
