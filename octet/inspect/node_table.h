// node_table.h: the nodes of a report as a table, one row or more for each.
#pragma once

#include <string>

#include "octet/inspect/report_text.h"

namespace octet {

std::string node_table(const ModelReport& report, const TextOptions& options);

// "uint8 [N,3,32,32]"; "?" when not even the type is known.
std::string type_text(const ValueReport& value);

// The only value of the tensor when all its elements are equal, else the smallest and the largest. Requires at least
// one element, of a type that Octet computes with; floats to four digits: "0.001..0.02".
std::string range_text(const Tensor& values);

// "kernel_shape [3,3], group 1".
std::string attributes_text(const NodeReport& node);

// "w: 64 scales 0.001..0.02 on axis 0, zero point 0".
std::string quantization_text(const QuantizationReport& quantization);

// A node's name, or where it has none its first output's.
std::string label_of(const NodeReport& node);

}  // namespace octet
