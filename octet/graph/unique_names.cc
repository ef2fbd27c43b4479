#include "octet/graph/unique_names.h"

#include <map>
#include <set>

#include "octet/graph/index.h"

namespace octet {
namespace {

using Names = std::map<std::string, std::string>;

class UniqueNames {
 public:
  explicit UniqueNames(Graph& graph) : taken_(values_defined(graph)) {
    for (const Value& output : graph.outputs) taken_.insert(output.name);
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
      if (!own.empty()) names[own] = unused(own);
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

  std::string unused(const std::string& wish) {
    std::string name = wish;
    for (int& count = counts_[wish]; !taken_.insert(name).second;) name = wish + "_" + std::to_string(++count + 1);
    return name;
  }

  std::set<std::string> taken_;
  std::map<std::string, int> counts_;
};

}  // namespace

Model with_unique_names(Model model) {
  UniqueNames unique(model.graph);
  return model;
}

}  // namespace octet
