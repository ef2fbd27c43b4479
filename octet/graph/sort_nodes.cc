#include "octet/graph/sort_nodes.h"

#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "octet/graph/index.h"

namespace octet {
namespace {

constexpr int kDeepestSorted = 100;  // validate() refuses graphs that are nested deeper

// By node, those that must come before it.
std::vector<std::vector<std::size_t>> earlier_nodes(const std::vector<Node>& nodes) {
  std::unordered_map<std::string, std::size_t> producers;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& output : nodes[i].outputs)
      if (!output.empty()) producers.emplace(output, i);
  std::vector<std::vector<std::size_t>> earlier(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& input : values_read(nodes[i]))
      if (const auto producer = producers.find(input); producer != producers.end())
        earlier[i].push_back(producer->second);
  return earlier;
}

void sort(std::vector<Node>& nodes, int depth) {
  if (depth > kDeepestSorted) return;
  for (Node& node : nodes)
    for (auto& [name, attribute] : node.subgraphs)
      for (Graph& graph : attribute.graphs) sort(graph.nodes, depth + 1);

  const std::vector<std::vector<std::size_t>> earlier = earlier_nodes(nodes);
  std::vector<std::size_t> missing(nodes.size());
  std::vector<std::vector<std::size_t>> later(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    missing[i] = earlier[i].size();
    for (const std::size_t before : earlier[i]) later[before].push_back(i);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (missing[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t after : later[next])
      if (--missing[after] == 0) ready.push(after);
  }
  if (order.size() != nodes.size()) return;
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (const std::size_t i : order) sorted.push_back(std::move(nodes[i]));
  nodes = std::move(sorted);
}

}  // namespace

Model sort_nodes(Model model) {
  sort(model.graph.nodes, 0);
  for (Function& function : model.functions) sort(function.nodes, 0);
  return model;
}

}  // namespace octet
