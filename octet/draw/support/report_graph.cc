#include "octet/draw/support/report_graph.h"

#include <algorithm>

#include "octet/spec/registry.h"

namespace octet {

bool is(const NodeReport& node, const Operator& op) {
  return node.op_type == op.name && is(find_operator(node.domain, node.op_type), op);
}

ReportGraph::ReportGraph(const ModelReport& report) {
  for (const ValueReport& input : report.inputs) inputs_.insert(input.name);
  for (const ValueReport& output : report.outputs) outputs_.insert(output.name);
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport& node = report.nodes[i];
    for (const ValueReport& output : node.outputs)
      if (!output.name.empty()) makers_.try_emplace(output.name, i);
    for (const ValueReport& input : node.inputs)
      if (!input.name.empty()) readers_[input.name].push_back(i);
    for (const QuantizationReport& q : node.quantization) quantizations_.try_emplace(q.tensor, &q);
  }
  find_computed(report);
}

std::optional<std::size_t> ReportGraph::maker(std::string_view value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() || is_input(value) ? std::nullopt : std::optional(found->second);
}

const std::vector<std::size_t>& ReportGraph::readers(std::string_view value) const {
  static const std::vector<std::size_t> kNobody;
  const auto found = readers_.find(value);
  return found == readers_.end() ? kNobody : found->second;
}

const QuantizationReport* ReportGraph::quantization(std::string_view value) const {
  const auto found = quantizations_.find(value);
  return found == quantizations_.end() ? nullptr : found->second;
}

// A graph inside a node may read what no input of the node says: such nodes count as computed.
void ReportGraph::find_computed(const ModelReport& report) {
  computed_.assign(report.nodes.size(), false);
  std::vector<std::size_t> waiting;
  const auto reach = [&](std::size_t node) {
    if (computed_[node]) return;
    computed_[node] = true;
    waiting.push_back(node);
  };
  for (const std::string& input : inputs_)
    for (const std::size_t reader : readers(input)) reach(reader);
  for (std::size_t i = 0; i < report.nodes.size(); ++i)
    if (!report.nodes[i].subgraphs.empty()) reach(i);
  while (!waiting.empty()) {
    const NodeReport& node = report.nodes[waiting.back()];
    waiting.pop_back();
    for (const ValueReport& output : node.outputs)
      for (const std::size_t reader : readers(output.name)) reach(reader);
  }
  if (std::none_of(computed_.begin(), computed_.end(), [](bool c) { return c; }))
    computed_.assign(report.nodes.size(), true);
}

}  // namespace octet
