#include "octet/graph/new_names.h"

namespace octet {

NewNames::NewNames(const Graph& graph) {
  for (const Initializer& initializer : graph.initializers) taken_.insert(initializer.name);
  for (const Value& input : graph.inputs) taken_.insert(input.name);
  for (const Node& node : graph.nodes) taken_.insert(node.outputs.begin(), node.outputs.end());
}

std::string NewNames::make(const std::string& wish) {
  std::string name = wish;
  for (int& number = numbers_[wish]; !taken_.insert(name).second;) name = wish + "_" + std::to_string(++number);
  return name;
}

}  // namespace octet
