#include "octet/graph/index.h"

namespace octet {
namespace {

void collect_reads(const Node& node, std::set<std::string>& reads) {
  for (const std::string& input : node.inputs)
    if (!input.empty()) reads.insert(input);
  for (const auto& [name, attribute] : node.subgraphs)
    for (const Graph& graph : attribute.graphs) {
      // Names defined inside shadow nothing (the format forbids it), so counting them too is harmless.
      for (const Node& inner : graph.nodes) collect_reads(inner, reads);
      for (const Value& output : graph.outputs) reads.insert(output.name);
    }
}

}  // namespace

std::set<std::string> values_read(const Node& node) {
  std::set<std::string> reads;
  collect_reads(node, reads);
  return reads;
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
