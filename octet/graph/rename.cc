#include "octet/graph/rename.h"

#include "octet/graph/index.h"

namespace octet {

void rename_reads(Node& node, const std::map<std::string, std::string>& names) {
  const auto rename = [&](std::string& value) {
    if (const auto it = names.find(value); it != names.end()) value = it->second;
  };
  for (std::string& input : node.inputs) rename(input);
  for (auto& [name, attribute] : node.subgraphs)
    for (Graph& graph : attribute.graphs) {
      std::map<std::string, std::string> outer = names;
      for (const std::string& own : values_defined(graph)) outer.erase(own);
      for (Node& inner : graph.nodes) rename_reads(inner, outer);
      for (Value& output : graph.outputs)
        if (const auto it = outer.find(output.name); it != outer.end()) output.name = it->second;
    }
}

}  // namespace octet
