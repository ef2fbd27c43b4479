// quantization.h: which tensors of a node are quantized, and by which scales and zero points.
#pragma once

#include <string_view>
#include <vector>

#include "octet/graph/model.h"
#include "octet/inspect/quantized_nodes.h"
#include "octet/inspect/report.h"
#include "octet/inspect/support/model_index.h"

namespace octet {

// By the node's own parameters. Empty for operators that have none.
std::vector<QuantizationReport> quantization_of(const Node& node, const ModelIndex& index);

// The DequantizeLinear that gives input `i`, and the (first) QuantizeLinear that takes output 0, which goes nowhere
// else, if need be after an activation that a runtime fuses; null when there is none.
const Node* dequantizer_of_input(const Node& node, std::size_t i, const ModelIndex& index);
const Node* quantizer_of_output(const Node& node, const ModelIndex& index);

// By the conversions around a node of Form::kQdq.
std::vector<QuantizationReport> quantization_around(const Node& node, const ModelIndex& index);

// The inputs that are scales and zero points.
std::vector<std::string_view> parameter_inputs(const Node& node);

// Relu and Clip: a runtime merges them into the operator before them.
bool is_activation(const Node& node);

}  // namespace octet
