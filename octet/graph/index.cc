#include "octet/graph/index.h"

namespace octet {
namespace {

void collect_reads(const Node& node, std::set<std::string>& reads) {
  for (const std::string& input : node.inputs)
    if (!input.empty()) reads.insert(input);
  for (const auto& [name, attribute] : node.subgraphs)
    for (const Graph& graph : attribute.graphs) reads.merge(values_taken(graph));
}

}  // namespace

std::set<std::string> values_read(const Node& node) {
  std::set<std::string> reads;
  collect_reads(node, reads);
  return reads;
}

std::set<std::string> values_taken(const Graph& graph) {
  std::set<std::string> taken;
  for (const Node& node : graph.nodes) collect_reads(node, taken);
  for (const Value& output : graph.outputs) taken.insert(output.name);
  for (const std::string& own : values_defined(graph)) taken.erase(own);
  return taken;
}

std::set<std::string> values_defined(const Graph& graph) {
  std::set<std::string> own;
  for (const Value& input : graph.inputs) own.insert(input.name);
  for (const Initializer& initializer : graph.initializers) own.insert(initializer.name);
  for (const Node& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
  return own;
}

GraphIndex::GraphIndex(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) producers_.emplace(output, i);
    for (const std::string& value : values_read(graph.nodes[i])) consumers_[value].push_back(i);
  }
  for (const Value& output : graph.outputs) outputs_.insert(output.name);
}

std::optional<std::size_t> GraphIndex::producer(std::string_view value) const {
  const auto it = producers_.find(value);
  return it == producers_.end() ? std::nullopt : std::optional(it->second);
}

const std::vector<std::size_t>& GraphIndex::consumers(std::string_view value) const {
  static const std::vector<std::size_t> kNobody;
  const auto it = consumers_.find(value);
  return it == consumers_.end() ? kNobody : it->second;
}

bool GraphIndex::has_one_use(std::string_view value) const {
  return consumers(value).size() == 1 && !is_graph_output(value);
}

}  // namespace octet
