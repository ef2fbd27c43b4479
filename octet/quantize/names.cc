#include "octet/quantize/names.h"

namespace octet {

Names::Names(const Graph& graph) {
  for (const Initializer& initializer : graph.initializers) taken_.insert(initializer.name);
  for (const auto* values : {&graph.inputs, &graph.outputs})
    for (const Value& value : *values) taken_.insert(value.name);
  for (const Node& node : graph.nodes) {
    taken_.insert(node.name);
    taken_.insert(node.outputs.begin(), node.outputs.end());
    for (const auto& [attribute, graphs] : node.subgraphs)
      for (const Graph& subgraph : graphs.graphs) taken_.merge(Names(subgraph).taken_);
  }
}

const std::string& Names::of(const std::string& base, std::string_view role) {
  const auto [it, is_new] = given_.try_emplace({base, std::string(role)});
  if (is_new) {
    it->second = base + std::string(role);
    while (!taken_.insert(it->second).second) it->second += '_';
  }
  return it->second;
}

}  // namespace octet
