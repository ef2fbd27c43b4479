// macs.h: multiply-accumulates of one node, from its shapes.
//
//   Conv, QLinearConv, ConvInteger     elements(y) * elements(w) / output channels
//   ConvTranspose                      elements(x) * elements(w) / input channels
//   MatMul, Gemm and their kin         elements(y) * K
//   LSTM, GRU, RNN                     steps * batch * (elements(w) + elements(r))
//   Attention                          keys * (elements(q) + elements(y))
//   QAttention                         elements(x) * columns(w) + keys * 2 * elements(y), the latter in float
//
// keys are those of the past too.
//
// Products with padding are counted, as hardware that pads would compute them. Bias additions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "octet/graph/model.h"
#include "octet/inspect/support/model_index.h"

namespace octet {

// The inputs of a multiply-accumulate operator that are multiplied: activations and weights.
struct MultipliedOperands {
  std::size_t first, second;
};
std::optional<MultipliedOperands> multiplied_operands(const Node& node);

struct Macs {
  std::int64_t all;
  std::int64_t in_float = 0;  // of these, of an operator whose operands are integers
};

// Nothing when a shape is not known. A symbolic dimension, and an unknown first one, counts as 1 and is added to
// `as_one`. Call for nodes with multiplied_operands() only.
std::optional<Macs> macs_of(const Node& node, const ModelIndex& index, std::set<std::string>& as_one);

}  // namespace octet
