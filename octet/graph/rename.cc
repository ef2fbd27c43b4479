#include "octet/graph/rename.h"

namespace octet {

void rename_reads(Node& node, const std::map<std::string, std::string>& names) {
  const auto rename = [&](std::string& value) {
    if (const auto it = names.find(value); it != names.end()) value = it->second;
  };
  for (std::string& input : node.inputs) rename(input);
  for (auto& [name, attribute] : node.subgraphs)
    for (Graph& graph : attribute.graphs) {
      for (Node& inner : graph.nodes) rename_reads(inner, names);
      for (Value& output : graph.outputs) rename(output.name);
    }
}

}  // namespace octet
