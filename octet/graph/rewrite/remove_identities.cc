#include <map>
#include <set>

#include "octet/graph/index.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rename.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {
namespace {

bool is_identity(const Graph& graph, const GraphIndex& index, const Node& node) {
  if (!node.domain.empty() || node.inputs.empty() || node.outputs.empty()) return false;
  if (is(node, ops::kIdentity)) return true;
  if (!is(node, ops::kDropout)) return false;
  if (node.outputs.size() > 1 && !node.outputs[1].empty() &&
      (!index.consumers(node.outputs[1]).empty() || index.is_graph_output(node.outputs[1])))
    return false;
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return true;  // training_mode is absent: inference
  const Initializer* training = find_initializer(graph, node.inputs[2]);
  return training && training->tensor.size() == 1 && training->tensor.int_at(0) == 0;
}

}  // namespace

Model remove_identities(Model model) {
  Graph& graph = model.graph;
  const GraphIndex index(graph);
  std::map<std::string, std::string> names;      // value -> the value that stands for it downstream
  std::map<std::string, std::string> published;  // value -> the graph output its producer shall write
  std::set<std::size_t> removed;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!is_identity(graph, index, node)) continue;
    const std::string& output = node.outputs[0];
    const auto renamed = names.find(node.inputs[0]);
    const std::string input = renamed == names.end() ? node.inputs[0] : renamed->second;
    if (index.is_graph_output(output)) {
      // The producer can take the output's name, unless its own name is promised to the outside too.
      if (!index.producer(input) || index.is_graph_output(input) || published.contains(input)) continue;
      published[input] = output;
    }
    names[output] = input;
    removed.insert(i);
  }
  for (auto& [value, stands_for] : names)
    if (const auto it = published.find(stands_for); it != published.end()) stands_for = it->second;
  names.insert(published.begin(), published.end());
  for (const auto& [value, output] : published) names.erase(output);

  std::vector<Node> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (removed.contains(i)) continue;
    Node node = std::move(graph.nodes[i]);
    rename_reads(node, names);
    for (std::string& output : node.outputs)
      if (const auto it = published.find(output); it != published.end()) output = it->second;
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  return remove_unused(std::move(model));
}

}  // namespace octet
