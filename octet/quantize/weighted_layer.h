// weighted_layer.h: which Conv, ConvTranspose, Gemm and MatMul have an 8-bit form.
#pragma once

#include <string>

#include "octet/graph/infer.h"
#include "octet/graph/model.h"

namespace octet {

// Null where the value is no constant.
const Tensor* constant_of(const Graph& graph, const std::string& value);

// Whether input 1 of the layer is an activation: MatMul and Conv take one. It is then quantized as activations are.
bool has_computed_weights(const Graph& graph, const Node& layer);

// Why the layer, whose first input and output are float32, has no 8-bit form; empty where it has one. A constant first input is for
// a MatMul whose second is an activation.
std::string weighted_layer_obstacle(const Graph& graph, const Facts& facts, const Node& layer);

}  // namespace octet
