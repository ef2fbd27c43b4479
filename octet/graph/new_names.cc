#include "octet/graph/new_names.h"

namespace octet {

NewNames::NewNames(const Graph& graph) { take(graph); }

void NewNames::take(const Graph& graph) {
  for (const Initializer& initializer : graph.initializers) taken_.insert(initializer.name);
  for (const auto* values : {&graph.inputs, &graph.outputs})
    for (const Value& value : *values) taken_.insert(value.name);
  for (const Node& node : graph.nodes) {
    taken_.insert(node.name);
    taken_.insert(node.outputs.begin(), node.outputs.end());
    for (const auto& [attribute, graphs] : node.subgraphs)
      for (const Graph& inner : graphs.graphs) take(inner);
  }
}

std::string NewNames::make(const std::string& wish) {
  std::string name = wish;
  for (int& number = numbers_[wish]; !taken_.insert(name).second;) name = wish + "_" + std::to_string(++number);
  return name;
}

const std::string& NewNames::of(const std::string& base, std::string_view role) {
  const auto [it, is_new] = given_.try_emplace({base, std::string(role)});
  if (is_new) it->second = make(it->first.first + it->first.second);
  return it->second;
}

}  // namespace octet
