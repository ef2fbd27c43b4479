#include "octet/analyze/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "octet/onnx/model_file.h"
#include "octet/spec/requantize.h"
#include "tests/program/networks.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Every accumulator under both requantizations.
void expect_equal(const Requantization& channel, const MultiplierAndShift& fixed, Rounding rounding) {
  const Requantizer real(Arithmetic(), channel.multiplier,
                         {channel.zero_point, channel.range, ZeroPoint::kAfterRounding});
  for (std::int64_t acc = channel.least; acc <= channel.greatest; ++acc) {
    const std::int64_t whole = shift_right(rounding, static_cast<__int128>(acc) * fixed.m, fixed.shift);
    ASSERT_EQ(std::clamp(whole + channel.zero_point, channel.range.min, channel.range.max),
              real(static_cast<std::int32_t>(acc)))
        << "acc " << acc << " m " << fixed.m << " shift " << fixed.shift;
  }
}

TEST(FixedMultiplier, EqualsFloat32ForEveryAccumulator) {
  int found = 0;
  for (const float multiplier : {0.5F, 0.0071F, 0.00123F, 1.7F, 0.25F, 0.033333F})
    for (const std::int32_t zero_point : {0, -128, 7})
      for (const Rounding rounding : {Rounding::kTiesEven, Rounding::kTiesAway, Rounding::kTiesUp}) {
        const Requantization channel{multiplier, zero_point, {-128, 127}, -40000, 50000};
        if (const auto fixed = narrowest_multiplier(equal_multipliers(channel, rounding))) {
          expect_equal(channel, *fixed, rounding);
          ++found;
        }
      }
  EXPECT_EQ(found, 24);  // the others have ties that their rule rounds elsewhere
}

// Not one bit narrower: no multiplier with a smaller shift is equal, tried one by one.
TEST(FixedMultiplier, IsTheNarrowest) {
  const Requantization channel{0.0371F, 3, {-128, 127}, -3000, 3000};
  const auto fixed = narrowest_multiplier(equal_multipliers(channel, Rounding::kTiesUp));
  ASSERT_TRUE(fixed);
  const Requantizer real(Arithmetic(), channel.multiplier,
                         {channel.zero_point, channel.range, ZeroPoint::kAfterRounding});
  for (int shift = 0; shift < fixed->shift; ++shift)
    for (std::int64_t m = 0; m < std::int64_t{1} << fixed->bits; ++m) {
      bool equal = true;
      for (std::int64_t acc = channel.least; equal && acc <= channel.greatest; ++acc) {
        const std::int64_t whole = shift_right(Rounding::kTiesUp, static_cast<__int128>(acc) * m, shift);
        equal = std::clamp<std::int64_t>(whole + 3, -128, 127) == real(static_cast<std::int32_t>(acc));
      }
      ASSERT_FALSE(equal) << "m " << m << " shift " << shift;
    }
}

TEST(FixedMultiplier, DoesNotExistForARuleThatRoundsElsewhere) {
  const Requantization channel{0.01F, 0, {-128, 127}, -20000, 20000};
  EXPECT_FALSE(narrowest_multiplier(equal_multipliers(channel, Rounding::kFloor)));
  EXPECT_GT(differing_accumulators(channel, Rounding::kFloor), 10000);
}

TEST(FixedMultiplier, CountsWhatTheNearestOfThirtyOneBitsGetsWrong) {
  const Requantization channel{0.5F, 0, {-128, 127}, -100, 100};
  EXPECT_EQ(differing_accumulators(channel, Rounding::kTiesEven), 0);
  // Odd accumulators are ties; away and even differ at every second of them: acc = 4 j + 1, of either sign.
  std::int64_t expected = 0;
  for (int acc = -100; acc <= 100; ++acc) expected += round_ties_even(acc * 0.5) != round_ties_away(acc * 0.5);
  EXPECT_EQ(differing_accumulators(channel, Rounding::kTiesAway), expected);
  EXPECT_EQ(count_ties(channel), 100);
}

// 0.3F is a little more than 0.3, but 5 * 0.3F rounds to 1.5F: a tie all the same.
TEST(FixedMultiplier, CountsTiesOfTheRoundedProduct) {
  std::int64_t expected = 0;
  for (int acc = -400; acc <= 400; ++acc) {
    const float t = static_cast<float>(acc) * 0.3F;
    expected += t - std::floor(t) == 0.5F && t > -128 && t < 127;
  }
  EXPECT_EQ(count_ties({0.3F, 0, {-128, 127}, -400, 400}), expected);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(count_ties({0.3F, 0, {-128, 127}, -4, 4}), 0);
}

// [-128, 127] inputs times one weight w.
StepBounds of_weights(std::vector<std::int8_t> weights, std::int32_t bias = 0, std::int8_t x_zero_point = 0) {
  const auto count = static_cast<std::int64_t>(weights.size());
  const Program program =
      lower(network("main (x) => (y) { y = QLinearConv (x, s, xz, w, s, wz, s, wz, b) }",
                    {value("x", DType::kInt8, SymbolicShape{1, count, 1, 1})},
                    {{"s", f(1)},
                     {"xz", s8(x_zero_point)},
                     {"wz", s8(0)},
                     {"w", Tensor::from<std::int8_t>({1, count, 1, 1}, std::span<const std::int8_t>(weights))},
                     {"b", Tensor::from<std::int32_t>({1}, {bias})}}),
            Policy::kExact);
  return bounds(program).at(0);
}

TEST(Bounds, AgreeWithEveryInputOfASmallLayer) {
  const std::vector<std::int8_t> weights = {3, -5};
  const StepBounds found = of_weights(weights, 11, 9);
  Interval seen{0, 0};
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b) {
      const std::int64_t acc = 11 + 3 * (a - 9) - 5 * (b - 9);
      seen.include({acc, acc});
    }
  EXPECT_EQ(found.final, seen);
}

TEST(Bounds, GrowByABitWithOneStep) {
  // -128 * 127 + 127 * -128... one weight of 1: [-128, 127] fits 8 bits; a bias of 1 makes it [-127, 128].
  EXPECT_EQ(signed_width(of_weights({1}).final), 8);
  EXPECT_EQ(signed_width(of_weights({1}, 1).final), 9);
  EXPECT_EQ(signed_width(of_weights({1}, -1).final), 9);
  EXPECT_EQ(signed_width({-32768, 32767}), 16);
  EXPECT_EQ(signed_width({-32769, 0}), 17);
  EXPECT_EQ(signed_width({0, 32768}), 17);
}

TEST(Bounds, LetTheBiasComeAnywhere) {
  const StepBounds found = of_weights({1}, 1000);
  EXPECT_EQ(found.final, (Interval{872, 1127}));
  EXPECT_EQ(found.any_order, (Interval{-128, 1127}));
}

TEST(Bounds, KnowRawProducts) {
  const StepBounds found = of_weights({2}, 0, 100);
  EXPECT_EQ(found.final, (Interval{-456, 54}));
  EXPECT_EQ(found.raw, (Interval{-256, 254}));
  EXPECT_EQ(found.textbook, (Interval{-128 * 128, 128 * 128}));
}

TEST(Bounds, CountPairsThatSaturate) {
  const Program program = lower(
      network("main (x) => (y) { y = QLinearMatMul (x, s, z, w, s, wz, s, z) }",
              {value("x", DType::kUint8, SymbolicShape{1, 4})},
              {{"s", f(1)}, {"z", u8(0)}, {"wz", s8(0)}, {"w", Tensor::from<std::int8_t>({4, 1}, {127, 2, 64, 64})}}),
      Policy::kExact);
  const StepBounds found = bounds(program).at(0);
  EXPECT_EQ(found.pairs, 2);
  EXPECT_EQ(found.channels[0].saturating_pairs, (std::vector<WeightPair>{{0, 0, 127, 2}}));
  EXPECT_EQ(found.saturating_pairs, 1);  // 255 * 129 = 32895; 255 * 128 = 32640
}

TEST(Bounds, AreNeverBelowWhatDataShows) {
  const Program program = lower(convolution(), Policy::kExact);
  std::vector<StepBounds> found = bounds(program);
  observe(found, program, {{"x", Tensor::from<std::int8_t>({1, 2, 1, 2}, {127, -128, -128, 127})}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].observed, (Interval{-624, 651}));  // both ends of channel 0 are reached
  EXPECT_EQ(found[0].channels[0].final, (Interval{-624, 651}));
}

// ResNet8's first residual block: 16 channels of about two million reachable accumulators each, every one tried.
TEST(Bounds, FindMultipliersThatAreEqualOverAWholeLayer) {
  const Program program = lower(load_model("models/resnet8_int8.onnx"), Policy::kExact);
  const std::vector<StepBounds> found = bounds(program);
  const auto layer = std::ranges::find_if(
      found, [&](const StepBounds& bound) { return program.steps[bound.step].name == "block1.conv1"; });
  ASSERT_NE(layer, found.end());
  const auto& sum = std::get<Accumulation>(program.steps[layer->step].constants);
  int equal = 0;
  for (std::size_t m = 0; m < layer->channels.size(); m += kSanitized ? 8 : 1) {
    const ChannelBounds& channel = layer->channels[m];
    const Requantization requantization{one_or(sum.multipliers, static_cast<std::int64_t>(m)),
                                        sum.y->zero_point,
                                        {-128, 127},
                                        channel.final.least,
                                        channel.final.greatest};
    if (channel.multiplier) {
      expect_equal(requantization, *channel.multiplier, Rounding::kTiesEven);
      ++equal;
      continue;
    }
    const FixedMultiplier nearest = fixed_multiplier(requantization.multiplier, 31);
    const Requantizer real({}, requantization.multiplier, {sum.y->zero_point, {-128, 127}, ZeroPoint::kAfterRounding});
    std::int64_t differing = 0;
    for (std::int64_t acc = channel.final.least; acc <= channel.final.greatest; ++acc) {
      const std::int64_t whole =
          shift_right(Rounding::kTiesEven, static_cast<__int128>(acc) * nearest.m, nearest.shift);
      differing += std::clamp<std::int64_t>(whole + sum.y->zero_point, -128, 127) != real(static_cast<int>(acc));
    }
    EXPECT_EQ(channel.differing, differing) << "channel " << m;
  }
  EXPECT_EQ(layer->channels.size(), 16U);
  EXPECT_GT(equal, 0);
  EXPECT_LT(equal, 16);
}

}  // namespace
}  // namespace octet
