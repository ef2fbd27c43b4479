#include "octet/graph/model.h"

#include <algorithm>
#include <limits>
#include <set>

namespace octet {

int to_opset(std::int64_t version) {
  return static_cast<int>(std::clamp<std::int64_t>(version, 0, std::numeric_limits<int>::max()));
}

int Model::opset(std::string_view wanted) const {
  for (const auto& [imported, version] : opset_imports)
    if (imported == wanted) return to_opset(version);
  return wanted.empty() && ir_version < 3 ? 1 : 0;
}

std::string describe(const Node& node) {
  std::string label = node.name;
  for (std::size_t i = 0; label.empty() && i < node.outputs.size(); ++i) label = node.outputs[i];
  return label.empty() ? node.op_type : label + " (" + node.op_type + ")";
}

const Initializer* find_initializer(const Graph& graph, std::string_view name) {
  for (const Initializer& initializer : graph.initializers)
    if (initializer.name == name) return &initializer;
  return nullptr;
}

std::vector<const Value*> required_inputs(const Graph& graph) {
  std::set<std::string_view> constant;
  for (const Initializer& initializer : graph.initializers) constant.insert(initializer.name);
  std::vector<const Value*> required;
  for (const Value& input : graph.inputs)
    if (!constant.contains(input.name)) required.push_back(&input);
  return required;
}

}  // namespace octet
