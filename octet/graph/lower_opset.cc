#include "octet/graph/lower_opset.h"

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/graph/standard_functions.h"

namespace octet {
namespace {

bool can_be_written_in(const Model& model, const Graph& graph, int opset);

// Whether the node exists in that opset and means the same.
bool can_be_written_in(const Model& model, const Node& node, int opset) {
  const auto in_graphs = [&](const auto& attribute) {
    return std::ranges::all_of(attribute.second.graphs,
                               [&](const Graph& inner) { return can_be_written_in(model, inner, opset); });
  };
  if (!node.domain.empty()) return std::ranges::all_of(node.subgraphs, in_graphs);
  const Operator* op = find_operator(model, node);
  if (!op) return standard_function(node, opset).has_value();
  return op->versions.front() <= opset && means_the_same(*op, model.opset(node), opset) &&
         std::ranges::all_of(node.subgraphs, in_graphs);
}

bool can_be_written_in(const Model& model, const Graph& graph, int opset) {
  return std::ranges::all_of(graph.nodes, [&](const Node& node) { return can_be_written_in(model, node, opset); });
}

}  // namespace

Model lower_opset(Model model) {
  model.ir_version = std::min(model.ir_version, kLoweredIrVersion);
  if (!model.functions.empty()) return model;
  for (int opset = kLoweredOpset; opset < model.opset(""); ++opset) {
    if (!can_be_written_in(model, model.graph, opset)) continue;
    for (auto& [domain, version] : model.opset_imports)
      if (domain.empty()) version = opset;
    break;
  }
  return model;
}

}  // namespace octet
