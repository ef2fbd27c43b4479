// float16_kernels.h: which operators ONNX Runtime computes in float16 on x86-64 CPUs. It computes the others in
// float32.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// Whether ONNX Runtime 1.31.1 has a float16 kernel for a node of this opset, or runs it by its subgraphs.
bool has_float16_kernel(const Node& node, int opset);

}  // namespace octet
