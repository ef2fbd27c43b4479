// weights.h: the stored numbers a node computes with.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "octet/graph/model.h"
#include "octet/inspect/report.h"
#include "octet/inspect/support/model_index.h"

namespace octet {

// Values that are scales and zero points of some node.
std::set<std::string_view> quantization_parameters(const Model& model);

// Initializers and Constant nodes that reach the node's inputs, directly or through nodes that unpack (QuantizeLinear,
// DequantizeLinear, Cast) or rearrange (Reshape, Transpose, ...) them. Scales and zero points are not meant, nor are
// int64, bool and string tensors: shapes, indices and flags. Empty for the nodes that unpack or rearrange.
std::vector<WeightReport> weights_of(const Node& node, const ModelIndex& index,
                                     const std::set<std::string_view>& parameters);

}  // namespace octet
