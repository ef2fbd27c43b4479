#include "octet/quantize/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "octet/base/error.h"

namespace octet {
namespace {

TEST(QuantizeConstant, DividesRoundsToEvenAndSaturates) {
  const Parameters parameters{DType::kInt8, {0.5F}, {1}, std::nullopt};
  const Tensor q = quantize_constant(Tensor::from<float>({5}, {0.25F, 0.75F, -0.25F, 100, -100}), parameters);
  EXPECT_EQ(q.to_ints(), (std::vector<std::int64_t>{1, 3, 1, 127, -128}));  // 0.5 -> 0, 1.5 -> 2, -0.5 -> 0, plus 1
}

TEST(QuantizeConstant, TakesEachChannelsScale) {
  const Parameters parameters{DType::kInt8, {1, 0.5F}, {0, 0}, 1};
  const Tensor q = quantize_constant(Tensor::from<float>({2, 2}, {3, 3, -4, -4}), parameters);
  EXPECT_EQ(q.to_ints(), (std::vector<std::int64_t>{3, 6, -4, -8}));
}

TEST(RangesOf, SplitsByChannel) {
  const Tensor weights = Tensor::from<float>({2, 3}, {1, 2, -3, 4, 5, 6});
  EXPECT_EQ(ranges_of(weights, 0, "w"), (std::vector<Range>{{-3, 2}, {4, 6}}));
  EXPECT_EQ(ranges_of(weights, 1, "w"), (std::vector<Range>{{1, 4}, {2, 5}, {-3, 6}}));
  EXPECT_EQ(ranges_of(weights, std::nullopt, "w"), (std::vector<Range>{{-3, 6}}));
}

TEST(RangesOf, RefusesWeightsThatAreNotFinite) {
  EXPECT_THROW(ranges_of(Tensor::from<float>({1}, {std::numeric_limits<float>::infinity()}), std::nullopt, "w"), Error);
  EXPECT_THROW(ranges_of(Tensor::from<float>({1}, {std::nanf("")}), std::nullopt, "w"), Error);
}

TEST(QuantizeBias, UsesTheProductOfScales) {
  const Parameters weights{DType::kInt8, {0.5F, 0.25F}, {0, 0}, 0};
  const QuantizedBias bias = quantize_bias(Tensor::from<float>({2}, {1, -1}), 0.125F, weights, 1);
  EXPECT_EQ(bias.scales, (std::vector<float>{0.0625F, 0.03125F}));
  EXPECT_EQ(bias.values.to_ints(), (std::vector<std::int64_t>{16, -32}));
}

TEST(QuantizeBias, RoundsTiesToEvenAndSaturates) {
  const Parameters weights{DType::kInt8, {0.5F}, {0}, std::nullopt};
  const QuantizedBias bias =
      quantize_bias(Tensor::from<float>({6}, {0.5F, 1.5F, -2.5F, 2.5F, 3e9F, -3e9F}), 2, weights, 1);
  EXPECT_EQ(bias.values.to_ints(), (std::vector<std::int64_t>{0, 2, -2, 2, 2147483647, -2147483648}));
}

TEST(FitScalesToBias, RaisesADeadChannelUntilTheBiasFits) {
  Parameters weights{DType::kInt8, {1e-20F, 0.01F}, {0, 0}, 0};
  const Tensor bias = Tensor::from<float>({2}, {0.5F, 0.5F});
  EXPECT_EQ(fit_scales_to_bias(weights, bias, 0.1F), 1);
  EXPECT_EQ(weights.scales[1], 0.01F);
  const QuantizedBias quantized = quantize_bias(bias, 0.1F, weights, 1);
  EXPECT_GT(quantized.values.int_at(0), 2147000000);  // nearly all of 31 bits
  EXPECT_LT(quantized.values.int_at(0), 2147483647);
}

TEST(FitScalesToBias, RaisesToThePowerOfTwoAbove) {
  Parameters weights{DType::kInt8, {0x1p-70F}, {0}, 0};
  EXPECT_EQ(fit_scales_to_bias(weights, Tensor::from<float>({1}, {0.5F}), 0x1p-3F, ScaleForm::kPowerOfTwo), 1);
  EXPECT_EQ(weights.scales[0], 0x1p-28F);  // 1.0001 * 2 * 0.5 / (2^32 - 2) / 2^-3 lies just above 2^-29
}

}  // namespace
}  // namespace octet
