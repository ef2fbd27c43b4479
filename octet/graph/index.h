// index.h: the producer and the consumers of each value of a graph.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

// A snapshot: indices into graph.nodes as they were. A node whose subgraph reads a value counts as its consumer.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);

  // Nothing for graph inputs and initializers.
  std::optional<std::size_t> producer(std::string_view value) const;
  // In node order; a node that reads the value twice is there once.
  const std::vector<std::size_t>& consumers(std::string_view value) const;
  bool is_graph_output(std::string_view value) const { return outputs_.contains(value); }
  // Read by exactly one node, and not a graph output.
  bool has_one_use(std::string_view value) const;

 private:
  std::map<std::string, std::size_t, std::less<>> producers_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> consumers_;
  std::set<std::string, std::less<>> outputs_;
};

// Every value that `node` reads, those its subgraphs take from outside included.
std::set<std::string> values_read(const Node& node);
// Every value that a subgraph takes from outside, for the graphs inside it too.
std::set<std::string> values_taken(const Graph& graph);
// The names of its inputs, initializers and nodes' outputs; those of graphs inside it are theirs.
std::set<std::string> values_defined(const Graph& graph);

}  // namespace octet
