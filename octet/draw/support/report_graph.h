// report_graph.h: who makes and who reads the values of a report.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "octet/inspect/report.h"
#include "octet/spec/operators.h"

namespace octet {

// Whether the node's operator is `op` or a copy of it in another domain.
bool is(const NodeReport& node, const Operator& op);

// Keeps pointers into the report. Reports may come from untrusted files: values may have no maker, or several
// (the first counts), and nodes may stand in any order.
class ReportGraph {
 public:
  explicit ReportGraph(const ModelReport& report);

  // The node that makes a value; nothing for inputs and what the file stores.
  std::optional<std::size_t> maker(std::string_view value) const;
  const std::vector<std::size_t>& readers(std::string_view value) const;  // one entry for each time it is read
  bool is_input(std::string_view value) const { return inputs_.contains(value); }
  bool is_output(std::string_view value) const { return outputs_.contains(value); }

  // Whether a node's result depends on the network's inputs. Where no node's does, all count as such.
  bool computed(std::size_t node) const { return computed_[node]; }

  // How a value is quantized, by the parameters of a node that makes or reads it; null when unknown.
  const QuantizationReport* quantization(std::string_view value) const;

 private:
  void find_computed(const ModelReport& report);

  std::map<std::string, std::size_t, std::less<>> makers_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> readers_;
  std::set<std::string, std::less<>> inputs_, outputs_;
  std::map<std::string, const QuantizationReport*, std::less<>> quantizations_;
  std::vector<bool> computed_;
};

}  // namespace octet
