#include "octet/graph/unique_names.h"

#include <map>

#include "octet/graph/index.h"
#include "octet/graph/new_names.h"

namespace octet {
namespace {

using Names = std::map<std::string, std::string>;

class UniqueNames {
 public:
  explicit UniqueNames(Graph& graph) {
    for (const std::string& own : values_defined(graph)) names_.take(own);
    for (const Value& output : graph.outputs) names_.take(output.name);
    for (Node& node : graph.nodes) rename_inside(node, {});
  }

 private:
  // `names` are those that graphs around it have been given.
  void rename_inside(Node& node, const Names& names) {
    for (auto& [attribute, graphs] : node.subgraphs)
      for (Graph& graph : graphs.graphs) rename(graph, names);
  }

  void rename(Graph& graph, Names names) {
    for (const std::string& own : values_defined(graph))
      if (!own.empty()) names[own] = names_.make(own);
    const auto apply = [&](std::string& value) {
      if (const auto it = names.find(value); it != names.end()) value = it->second;
    };
    for (auto* values : {&graph.inputs, &graph.outputs, &graph.value_info})
      for (Value& value : *values) apply(value.name);
    for (Initializer& initializer : graph.initializers) apply(initializer.name);
    for (Node& node : graph.nodes) {
      for (auto* values : {&node.inputs, &node.outputs})
        for (std::string& value : *values) apply(value);
      rename_inside(node, names);
    }
  }

  NewNames names_;
};

}  // namespace

Model with_unique_names(Model model) {
  UniqueNames unique(model.graph);
  return model;
}

}  // namespace octet
