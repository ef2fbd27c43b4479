#include "octet/graph/rewrite/float16_kernels.h"

#include <limits>
#include <map>
#include <string_view>

namespace octet {
namespace {

struct Opsets {
  int first = 1, last = std::numeric_limits<int>::max();
};

// The kernels that the runtime lists (get_all_opkernel_def) for the CPU with float16 among their types.
const std::map<std::string_view, Opsets> kStandardKernels = {
    {"Attention", {}},
    {"BitCast", {}},
    {"Cast", {}},
    {"Clip", {12}},
    {"Compress", {}},
    {"Concat", {}},
    {"DequantizeLinear", {19}},
    {"Dropout", {7, 11}},
    {"Expand", {}},
    {"Flatten", {}},
    {"Gather", {}},
    {"GatherElements", {}},
    {"GatherND", {}},
    {"Identity", {}},
    {"IsInf", {20}},
    {"IsNaN", {}},
    {"LayerNormalization", {}},
    {"Max", {12}},
    {"Min", {12}},
    {"Mod", {}},
    {"QuantizeLinear", {19}},
    {"RMSNormalization", {}},
    {"RandomNormalLike", {}},
    {"RandomUniformLike", {}},
    {"Reshape", {}},
    {"ReverseSequence", {}},
    {"RotaryEmbedding", {}},
    {"Round", {}},
    {"Scatter", {}},
    {"ScatterElements", {}},
    {"ScatterND", {}},
    {"Shape", {}},
    {"Shrink", {}},
    {"Sign", {}},
    {"SimplifiedLayerNormalization", {}},
    {"Slice", {}},
    {"Split", {}},
    {"Squeeze", {}},
    {"TensorScatter", {}},
    {"Transpose", {}},
    {"Unsqueeze", {}},
};
const std::map<std::string_view, Opsets> kMicrosoftKernels = {
    {"ExpandDims", {}},
    {"GatherBlockQuantized", {}},
    {"GatherND", {}},
    {"GroupQueryAttention", {}},
    {"MatMulNBits", {}},
    {"RotaryEmbedding", {}},
    {"SkipLayerNormalization", {}},
    {"SkipSimplifiedLayerNormalization", {}},
};

}  // namespace

bool has_float16_kernel(const Node& node, int opset) {
  if (!node.subgraphs.empty()) return true;
  const auto& kernels = node.domain.empty() ? kStandardKernels : kMicrosoftKernels;
  const auto kernel = kernels.find(node.op_type);
  return kernel != kernels.end() && opset >= kernel->second.first && opset <= kernel->second.last;
}

}  // namespace octet
