// quantized_nodes.h: which nodes of a model are about quantized values.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
bool is_conversion(const Node& node);
// Has parameters of its own, or reads quantized values by definition; conversions are not meant.
bool is_quantized_operator(const Node& node);

}  // namespace octet
