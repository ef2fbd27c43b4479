#include "octet/verify/runtime_rewrite.h"

#include <array>

namespace octet {
namespace {

constexpr std::array<RuntimeRewrite, 8> kRewrites = {{
    {"WeightBiasQuantization", "it quantizes float weights and biases between DequantizeLinear and QuantizeLinear"},
    {"TransposeOptimizer", "it moves a Transpose past QuantizeLinear, so that what it read in float is quantized",
     "TransposeOptimizer_CPUExecutionProvider"},
    {"QDQPropagationTransformer",
     "it quantizes what a Transpose, Reshape or other move in front of QuantizeLinear reads"},
    {"DoubleQDQPairsRemover", "it makes one pair of two of QuantizeLinear and DequantizeLinear"},
    {"ReluQuantRewrite", "it leaves out a Relu before QuantizeLinear"},
    {"ClipQuantRewrite", "it leaves out a Clip before QuantizeLinear"},
    {"CommonSubexpressionElimination",
     "it makes one node of equal ones, which rounds to float16 where one reader of either wants that"},
    {"QDQSelectorActionTransformer", "it multiplies by blocked weights with MatMulNBits", "", "MatMulNBits"},
}};

}  // namespace

std::span<const RuntimeRewrite> runtime_rewrites() { return kRewrites; }

std::vector<LeftOut> rewrites_to_leave_out(
    std::span<const RuntimeRewrite> candidates, std::int64_t differing,
    const std::function<std::optional<Retrial>(std::span<const RuntimeRewrite>)>& retry) {
  std::vector<RuntimeRewrite> without;
  for (const RuntimeRewrite& rewrite : candidates) {
    const std::optional<Retrial> found = retry({&rewrite, 1});
    if (!found) continue;
    if (found->agrees) return {{rewrite, differing}};
    without.push_back(rewrite);
  }
  if (without.size() < 2) return {};
  if (const std::optional<Retrial> found = retry(without); !found || !found->agrees) return {};
  std::vector<LeftOut> result;
  for (std::size_t i = 0; i < without.size();) {
    const RuntimeRewrite rewrite = without[i];
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    const std::optional<Retrial> found = retry(without);
    if (found && found->agrees) continue;
    without.insert(without.begin() + static_cast<std::ptrdiff_t>(i++), rewrite);
    result.push_back({rewrite, found ? found->differing : differing});
  }
  return result;
}

}  // namespace octet
