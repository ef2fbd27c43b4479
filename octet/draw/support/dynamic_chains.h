// dynamic_chains.h: what dynamic quantizers write for one layer: DynamicQuantizeLinear, ConvInteger or MatMulInteger, Cast,
// Mul of the scales, Mul by them, and Add of a bias.
#pragma once

#include <optional>
#include <vector>

#include "octet/draw/support/report_graph.h"

namespace octet {

// Nodes by their positions in the report.
struct DynamicChain {
  std::size_t sum = 0;                     // the node on integers, which the chain is named after
  std::vector<std::size_t> members;        // the others; no other node reads what they make
  std::size_t last = 0;                    // its first output is the chain's
  std::vector<const ValueReport*> inputs;  // that are computed, but for scales and zero points
  const ValueReport* w_scale = nullptr;    // stored ones
  const ValueReport* bias = nullptr;
};

// A quantization that several chains share is a member of none.
std::vector<DynamicChain> dynamic_chains(const ModelReport& report, const ReportGraph& graph);

}  // namespace octet
