#include "octet/verify/model_part.h"

#include <algorithm>

namespace octet {
namespace {

// What the node reads, and what its graphs may take from around them: every name that they mention.
void add_reads_of(const Node& node, std::set<std::string>& names) {
  names.insert(node.inputs.begin(), node.inputs.end());
  for (const auto& [attribute, value] : node.subgraphs)
    for (const Graph& graph : value.graphs) {
      for (const Node& inner : graph.nodes) add_reads_of(inner, names);
      for (const Value& output : graph.outputs) names.insert(output.name);
    }
}

template <typename Named>
std::vector<Named> those_in(const std::vector<Named>& all, const std::set<std::string>& names) {
  std::vector<Named> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Named& one) { return names.contains(one.name); });
  return found;
}

}  // namespace

Model model_part(const Model& model, const NamedTensors& given, const std::set<std::string>& wanted) {
  std::set<std::string> needed, made, known;
  for (const std::string& name : wanted)
    if (!given.contains(name)) needed.insert(name);
  std::vector<Node> nodes;
  for (auto node = model.graph.nodes.rbegin(); node != model.graph.nodes.rend(); ++node) {
    const bool is_needed = std::ranges::any_of(
        node->outputs, [&](const std::string& output) { return needed.contains(output) && !given.contains(output); });
    if (!is_needed) continue;
    nodes.push_back(*node);
    made.insert(node->outputs.begin(), node->outputs.end());
    add_reads_of(*node, needed);
  }
  std::ranges::reverse(nodes);
  known = made;
  known.insert(needed.begin(), needed.end());

  Model part{.ir_version = model.ir_version,
             .opset_imports = model.opset_imports,
             .producer_name = model.producer_name,
             .producer_version = model.producer_version,
             .domain = model.domain,
             .model_version = model.model_version,
             .functions = model.functions};
  part.graph.name = model.graph.name;
  part.graph.nodes = std::move(nodes);
  part.graph.initializers = those_in(model.graph.initializers, known);
  part.graph.inputs = those_in(model.graph.inputs, needed);
  part.graph.outputs = those_in(model.graph.outputs, known);
  part.graph.value_info = those_in(model.graph.value_info, made);
  for (const auto& [name, tensor] : given) {
    if (!needed.contains(name) || made.contains(name)) continue;
    Value input{.name = name};
    input.type.dtype = tensor.dtype();
    input.type.shape = symbolic(tensor.shape());
    part.graph.inputs.push_back(std::move(input));
  }
  // An output that a node reads, and which is given, is an input now.
  std::erase_if(part.graph.outputs,
                [&](const Value& output) { return !made.contains(output.name) && given.contains(output.name); });
  return part;
}

}  // namespace octet
