#include "octet/verify/runtime_rewrite.h"

#include <array>

namespace octet {
namespace {

constexpr std::array<RuntimeRewrite, 7> kRewrites = {{
    {"WeightBiasQuantization", "it quantizes float weights and biases between DequantizeLinear and QuantizeLinear"},
    {"TransposeOptimizer", "it moves a Transpose past QuantizeLinear, so that what it read in float is quantized",
     "TransposeOptimizer_CPUExecutionProvider"},
    {"QDQPropagationTransformer",
     "it quantizes what a Transpose, Reshape or other move in front of QuantizeLinear reads"},
    {"DoubleQDQPairsRemover", "it makes one pair of two of QuantizeLinear and DequantizeLinear"},
    {"ReluQuantRewrite", "it leaves out a Relu before QuantizeLinear"},
    {"ClipQuantRewrite", "it leaves out a Clip before QuantizeLinear"},
    {"QDQSelectorActionTransformer", "it multiplies by weights of few bits with MatMulNBits", "", "MatMulNBits"},
}};

}  // namespace

std::span<const RuntimeRewrite> runtime_rewrites() { return kRewrites; }

}  // namespace octet
