#include "octet/analyze/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "octet/analyze/bounds_csv.h"
#include "octet/analyze/thresholds.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "octet/spec/requantize.h"
#include "tests/program/networks.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Every accumulator under both requantizations.
void expect_equal(const Requantization& channel, const Interval& reach, const FixedMultiplier& fixed,
                  Rounding rounding) {
  const Requantizer real(Arithmetic(), channel.multiplier,
                         {channel.zero_point, channel.range, ZeroPoint::kAfterRounding});
  for (std::int64_t acc = reach.least; acc <= reach.greatest; ++acc) {
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
        const Requantization channel{multiplier, zero_point, {-128, 127}};
        const Interval reach{-40000, 50000};
        if (const auto fixed = narrowest_multiplier(equal_multipliers(staircase(channel, reach), channel, rounding))) {
          expect_equal(channel, reach, *fixed, rounding);
          ++found;
        }
      }
  EXPECT_EQ(found, 24);  // the others have ties that their rule rounds elsewhere
}

// Not one bit narrower: no multiplier with a smaller shift is equal, tried one by one.
TEST(FixedMultiplier, IsTheNarrowest) {
  const Requantization channel{0.0371F, 3, {-128, 127}};
  const Interval reach{-3000, 3000};
  const auto fixed = narrowest_multiplier(equal_multipliers(staircase(channel, reach), channel, Rounding::kTiesUp));
  ASSERT_TRUE(fixed);
  const Requantizer real(Arithmetic(), channel.multiplier,
                         {channel.zero_point, channel.range, ZeroPoint::kAfterRounding});
  for (int shift = 0; shift < fixed->shift; ++shift)
    for (std::int64_t m = 0; m < std::int64_t{1} << fixed->bits(); ++m) {
      bool equal = true;
      for (std::int64_t acc = reach.least; equal && acc <= reach.greatest; ++acc) {
        const std::int64_t whole = shift_right(Rounding::kTiesUp, static_cast<__int128>(acc) * m, shift);
        equal = std::clamp<std::int64_t>(whole + 3, -128, 127) == real(static_cast<std::int32_t>(acc));
      }
      ASSERT_FALSE(equal) << "m " << m << " shift " << shift;
    }
}

TEST(FixedMultiplier, DoesNotExistForARuleThatRoundsElsewhere) {
  const Requantization channel{0.01F, 0, {-128, 127}};
  const Staircase stairs = staircase(channel, {-20000, 20000});
  EXPECT_FALSE(narrowest_multiplier(equal_multipliers(stairs, channel, Rounding::kFloor)));
  EXPECT_GT(differing_accumulators(stairs, channel, Rounding::kFloor), 10000);
}

TEST(FixedMultiplier, CountsWhatTheNearestOfThirtyOneBitsGetsWrong) {
  const Requantization channel{0.5F, 0, {-128, 127}};
  const Staircase stairs = staircase(channel, {-100, 100});
  EXPECT_EQ(differing_accumulators(stairs, channel, Rounding::kTiesEven), 0);
  // Odd accumulators are ties; away and even differ at every second of them: acc = 4 j + 1, of either sign.
  std::int64_t expected = 0;
  for (int acc = -100; acc <= 100; ++acc) expected += round_ties_even(acc * 0.5) != round_ties_away(acc * 0.5);
  EXPECT_EQ(differing_accumulators(stairs, channel, Rounding::kTiesAway), expected);
  EXPECT_EQ(count_ties(stairs, channel), 100);
}

// 0.3F is a little more than 0.3, but 5 * 0.3F rounds to 1.5F: a tie all the same.
TEST(FixedMultiplier, CountsTiesOfTheRoundedProduct) {
  std::int64_t expected = 0;
  for (int acc = -400; acc <= 400; ++acc) {
    const float t = static_cast<float>(acc) * 0.3F;
    expected += t - std::floor(t) == 0.5F && t > -128 && t < 127;
  }
  const Requantization channel{0.3F, 0, {-128, 127}};
  EXPECT_EQ(count_ties(staircase(channel, {-400, 400}), channel), expected);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(count_ties(staircase(channel, {-4, 4}), channel), 0);
}

TEST(FixedMultiplier, CountsTiesOfStepsThatAreOneAccumulatorWide) {
  std::int64_t expected = 0;
  for (int acc = -50; acc <= 50; ++acc) expected += acc % 2 != 0;
  const Requantization channel{1.5F, 0, {-128, 127}};
  EXPECT_EQ(count_ties(staircase(channel, {-50, 50}), channel), expected);
}

TEST(FixedMultiplier, CountsNoTiesBetweenNumbersThatSaturateAlike) {
  const Requantization channel{0.5F, 0, {-128, 127}};
  EXPECT_EQ(count_ties(staircase(channel, {250, 255}), channel), 2);    // 125.5 and 126.5, not 127.5
  EXPECT_EQ(count_ties(staircase(channel, {-257, -250}), channel), 3);  // -127.5, -126.5 and -125.5, not -128.5
}

// [-128, 127] inputs times one weight w.
StepBounds of_weights(std::vector<std::int8_t> weights, std::int32_t bias = 0, std::int8_t x_zero_point = 0) {
  const auto count = static_cast<std::int64_t>(weights.size());
  const Program program =
      lowered(network("main (x) => (y) { y = QLinearConv (x, s, xz, w, s, wz, s, wz, b) }",
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

// Beyond int32 it wraps, and comes out at the other end.
TEST(Bounds, RequantizeAccumulatorsThatWrap) {
  const ChannelBounds channel = of_weights({1}, 2147483647).channels.at(0);
  EXPECT_EQ(channel.final, (Interval{2147483647 - 128, 2147483647LL + 127}));
  ASSERT_TRUE(channel.integer);
  EXPECT_EQ((*channel.integer)(2147483600), 127);
  EXPECT_EQ((*channel.integer)(-2147483600), -128);
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
  const Program program = lowered(
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
  const Program program = lowered(convolution(), Policy::kExact);
  std::vector<StepBounds> found = bounds(program);
  observe(found, program, {{"x", Tensor::from<std::int8_t>({1, 2, 1, 2}, {127, -128, -128, 127})}}, Parallel(1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].observed, (Interval{-624, 651}));  // both ends of channel 0 are reached
  EXPECT_EQ(found[0].channels[0].final, (Interval{-624, 651}));
}

// ResNet8's first residual block: 16 channels of about two million reachable accumulators each, every one tried.
TEST(Bounds, FindMultipliersThatAreEqualOverAWholeLayer) {
  const Program program = lowered(load_model("models/resnet8_int8.onnx"), Policy::kExact);
  const std::vector<StepBounds> found = bounds(program);
  const auto layer = std::ranges::find_if(
      found, [&](const StepBounds& bound) { return program.steps[bound.step].name == "block1.conv1"; });
  ASSERT_NE(layer, found.end());
  const Scaling scaling = scaling_of(program.steps[layer->step].work);
  int equal = 0;
  for (std::size_t m = 0; m < layer->channels.size(); m += kSanitized ? 8 : 1) {
    const ChannelBounds& channel = layer->channels[m];
    const Requantization requantization{
        one_or(scaling.multipliers, static_cast<std::int64_t>(m)), scaling.y->zero_point, {-128, 127}};
    if (channel.multiplier) {
      expect_equal(requantization, channel.final, *channel.multiplier, Rounding::kTiesEven);
      ++equal;
      continue;
    }
    const FixedMultiplier nearest = fixed_multiplier(requantization.multiplier, 31);
    const Requantizer real({}, requantization.multiplier,
                           {scaling.y->zero_point, {-128, 127}, ZeroPoint::kAfterRounding});
    std::int64_t differing = 0;
    for (std::int64_t acc = channel.final.least; acc <= channel.final.greatest; ++acc) {
      const std::int64_t whole =
          shift_right(Rounding::kTiesEven, static_cast<__int128>(acc) * nearest.m, nearest.shift);
      differing += std::clamp<std::int64_t>(whole + scaling.y->zero_point, -128, 127) != real(static_cast<int>(acc));
    }
    EXPECT_EQ(channel.differing, differing) << "channel " << m;
  }
  EXPECT_EQ(layer->channels.size(), 16U);
  EXPECT_GT(equal, 0);
  EXPECT_LT(equal, 16);
}

// Of all channels of ResNet8: as many as the reference's own search has found, and a check of both sides of every step.
TEST(Bounds, HaveIntegerRequantizersForEveryChannelOfResNet8) {
  const Program program = lowered(load_model("models/resnet8_int8.onnx"), Policy::kExact);
  std::int64_t channels = 0, without = 0, exceptions = 0, accumulators = 0;
  for (const StepBounds& bound : bounds(program))
    for (std::size_t m = 0; m < bound.channels.size(); ++m) {
      const ChannelBounds& channel = bound.channels[m];
      const Scaling scaling = scaling_of(program.steps[bound.step].work);
      const Requantization real{
          one_or(scaling.multipliers, static_cast<std::int64_t>(m)), scaling.y->zero_point, {-128, 127}};
      const Staircase stairs = staircase(real, channel.final);
      ASSERT_TRUE(channel.integer);
      for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
        ASSERT_EQ((*channel.integer)(stairs.steps[k].first), stairs.steps[k].value);
        ASSERT_EQ((*channel.integer)(stairs.last(k)), stairs.steps[k].value);
      }
      ++channels;
      without += channel.integer->exceptions.empty() ? 1 : 0;
      exceptions += excepted(*channel.integer);
      accumulators += channel.reachable;
    }
  EXPECT_EQ(channels, 346);
  EXPECT_EQ(without, 311);
  EXPECT_EQ(exceptions, 49);  // the nearest multiplier of 31 bits, ties up, has 81
  EXPECT_EQ(accumulators, 591876511);
}

// One node of com.microsoft.
Model microsoft(Model model) {
  model.graph.nodes.at(0).domain = "com.microsoft";
  return model;
}

// [K, N] = [3, 2], and [N, K] of the same matrix.
TEST(Bounds, KnowWhichWayRoundAGemmsWeightsLie) {
  const auto found = [](bool transposed, const Tensor& weights) {
    const std::string attributes = transposed ? "<transB: int = 1>" : "";
    const Model model = microsoft(network(
        "main (x) => (y) { y = QGemm " + attributes + " (x, s, z, w, s, wz, b, s, z) }",
        {value("x", DType::kUint8, SymbolicShape{1, 3})},
        {{"s", f(1)}, {"z", u8(10)}, {"wz", s8(0)}, {"w", weights}, {"b", Tensor::from<std::int32_t>({2}, {5, -7})}}));
    return bounds(lowered(model, Policy::kExact)).at(0);
  };
  const StepBounds straight = found(false, Tensor::from<std::int8_t>({3, 2}, {1, 40, -2, 50, 3, -60}));
  const StepBounds transposed = found(true, Tensor::from<std::int8_t>({2, 3}, {1, -2, 3, 40, 50, -60}));
  for (const StepBounds& bound : {straight, transposed}) {
    ASSERT_EQ(bound.channels.size(), 2U);
    EXPECT_EQ(bound.products, 3);
    // Channel 0 has 1, -2 and 3: from 5 - 10 - 2 * 245 - 3 * 10 on. Channel 1 has 40, 50 and -60.
    EXPECT_EQ(bound.channels[0].final, (Interval{5 - 10 * 4 - 2 * 245, 5 + 245 * 4 + 2 * 10}));
    EXPECT_EQ(bound.channels[1].final, (Interval{-7 - 10 * 90 - 60 * 245, -7 + 245 * 90 + 60 * 10}));
    EXPECT_EQ(bound.channels[0].start, 5 - 10 * 2);
    EXPECT_EQ(bound.channels[1].start, -7 - 10 * 30);
  }
}

// alpha scales the sum: a negative one makes the staircase fall.
TEST(Bounds, FollowAGemmsAlpha) {
  for (const float alpha : {0.37F, -0.37F}) {
    Model model = microsoft(network("main (x) => (y) { y = QGemm (x, s, z, w, s, wz, b, s, z) }",
                                    {value("x", DType::kUint8, SymbolicShape{1, 1})},
                                    {{"s", f(1)},
                                     {"z", u8(10)},
                                     {"wz", s8(0)},
                                     {"w", Tensor::from<std::int8_t>({1, 1}, {2})},
                                     {"b", Tensor::from<std::int32_t>({1}, {5})}}));
    model.graph.nodes.at(0).attributes.set("alpha", alpha);
    const ChannelBounds channel = bounds(lowered(model, Policy::kExact)).at(0).channels.at(0);
    EXPECT_EQ(channel.final, (Interval{5 - 20, 5 + 490}));
    EXPECT_EQ(channel.equal.has_value(), alpha > 0);
    ASSERT_TRUE(channel.integer);
    for (std::int64_t acc = channel.final.least; acc <= channel.final.greatest; ++acc) {
      const std::int64_t rounded = round_ties_even(static_cast<float>(acc) * alpha) + 10;
      ASSERT_EQ((*channel.integer)(acc), std::clamp<std::int64_t>(rounded, 0, 255)) << acc;
    }
  }
}

// 2 input channels, 2 x 1 taps: the kernels of x86 take both channels of tap 0, then both of tap 1.
TEST(Bounds, PairInputChannelsOfOneTap) {
  // [M, C, taps]: input channel 0 has 100 at tap 0 and 1 at tap 1, channel 1 has 101 and 2; the other filters have
  // no such pair.
  const Tensor weights =
      Tensor::from<std::int8_t>({3, 2, 2, 1}, {100, 1, 101, 2, -60, 127, 60, -127, 127, -60, -127, 60});
  for (const std::optional<SymbolicShape>& shape :
       {std::optional(SymbolicShape{1, 2, 4, 4}), std::optional<SymbolicShape>()}) {
    const Program program =
        lowered(network("main (x) => (y) { y = QLinearConv (x, s, z, w, s, wz, s, z) }",
                        {value("x", DType::kUint8, shape)}, {{"s", f(1)}, {"z", u8(0)}, {"wz", s8(0)}, {"w", weights}}),
                Policy::kExact);
    const StepBounds found = bounds(program).at(0);
    EXPECT_EQ(found.pairs, 6);
    EXPECT_EQ(found.channels[0].saturating_pairs, (std::vector<WeightPair>{{0, 0, 100, 101}}));
    EXPECT_TRUE(found.channels[1].saturating_pairs.empty());
  }
}

// Two output channels of 2 input channels and 2 taps: each has the weights of its own row.
TEST(Bounds, TakeTheWeightsOfTheirChannel) {
  const Program program =
      lowered(network("main (x) => (y) { y = QLinearConv (x, s, z, w, s, wz, s, z) }",
                      {value("x", DType::kUint8, SymbolicShape{1, 2, 4, 4})},
                      {{"s", f(1)},
                       {"z", u8(0)},
                       {"wz", s8(0)},
                       {"w", Tensor::from<std::int8_t>({2, 2, 2, 1}, {1, 2, 3, -4, -10, 20, 30, 40})}}),
              Policy::kExact);
  const StepBounds found = bounds(program).at(0);
  EXPECT_EQ(found.channels[0].final, (Interval{-4 * 255, 6 * 255}));
  EXPECT_EQ(found.channels[1].final, (Interval{-10 * 255, 90 * 255}));
}

// Over every x and every zero point of the type: x - z lies between -255 and 255, alike for all products of a sum.
TEST(Bounds, HoldWhateverADynamicZeroPointIs) {
  const Tensor weights = Tensor::from<std::int8_t>({3, 1}, {2, -5, 1});
  const auto expect = [](const Model& model) {
    const StepBounds found = bounds(lowered(model, Policy::kExact)).at(0);
    std::optional<Interval> seen;
    for (int z = 0; z <= 255; ++z)
      for (const int a : {0, 255})
        for (const int b : {0, 255})
          for (const int c : {0, 255}) {
            const std::int64_t acc = 2 * (a - z) - 5 * (b - z) + (c - z);
            if (!seen) seen = Interval{acc, acc};
            seen->include({acc, acc});
          }
    EXPECT_EQ(found.final, *seen);
    EXPECT_EQ(found.raw, (Interval{-5 * 255, 3 * 255}));
    EXPECT_FALSE(found.channels[0].start);
    EXPECT_FALSE(found.channels[0].integer);
  };
  expect(network("main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n y = MatMulInteger (q, w, z) }",
                 {value("x", DType::kFloat, SymbolicShape{1, 3})}, {{"w", weights}}));
  expect(network("main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n y = ConvInteger (q, w, z) }",
                 {value("x", DType::kFloat, SymbolicShape{1, 3, 1, 1})}, {{"w", weights.reshaped({1, 3, 1, 1})}}));
  expect(microsoft(network("main (x) => (y) { y = DynamicQuantizeMatMul (x, w, s) }",
                           {value("x", DType::kFloat, SymbolicShape{1, 3})}, {{"w", weights}, {"s", f(1)}})));
}

TEST(Bounds, KnowAStepWhoseZeroPointIsLeftOut) {
  const StepBounds found = bounds(lowered(network("main (x) => (y) { y = MatMulInteger (x, w) }",
                                                  {value("x", DType::kUint8, SymbolicShape{1, 2})},
                                                  {{"w", Tensor::from<std::int8_t>({2, 1}, {3, -4})}}),
                                          Policy::kExact))
                               .at(0);
  EXPECT_EQ(found.final, (Interval{-4 * 255, 3 * 255}));
  EXPECT_EQ(found.channels[0].start, 0);
}

TEST(Bounds, LeaveOutWeightsWhoseZeroPointComesAtRunTime) {
  const Program program =
      lowered(network("main (x, wz) => (y) { y = MatMulInteger (x, w, z, wz) }",
                      {value("x", DType::kUint8, SymbolicShape{1, 2}), value("wz", DType::kInt8, SymbolicShape{})},
                      {{"w", Tensor::from<std::int8_t>({2, 1}, {3, -4})}, {"z", u8(3)}}),
              Policy::kExact);
  EXPECT_TRUE(bounds(program).empty());
  EXPECT_TRUE(sum_of(program.steps[0].work)->least.empty());
}

// A step that is float because its activations have 16 bits: the sum of the integers behind it.
Model sixteen_bits(float bias_scale) {
  return network(
      "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n"
      " b = DequantizeLinear <axis: int = 0> (bq, bs)\n t = Conv (a, w, b)\n y = QuantizeLinear (t, xs, xz) }",
      {value("x", DType::kInt16, SymbolicShape{1, 2, 1, 2})},
      {{"xs", f(0.5F)},
       {"xz", Tensor::scalar<std::int16_t>(1000)},
       {"wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7})},
       {"ws", Tensor::from<float>({2}, {0.25F, 0.5F})},
       {"wz", Tensor::from<std::int8_t>({2}, {0, 1})},
       {"bq", Tensor::from<std::int32_t>({2}, {10, -20})},
       {"bs", Tensor::from<float>({2}, {bias_scale, 0.25F})}},
      21);
}

TEST(Bounds, KnowTheSumsBehindFloatStepsOfSixteenBits) {
  const Program program = lowered(sixteen_bits(0.125F), Policy::kExact);
  const std::vector<StepBounds> found = bounds(program);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(program.steps[found[0].step].kind, StepKind::kFloat);
  const std::int64_t low = -32768 - 1000, high = 32767 - 1000;
  EXPECT_EQ(found[0].channels[0].final, (Interval{10 + 2 * low - 3 * high, 10 + 2 * high - 3 * low}));
  EXPECT_EQ(found[0].channels[1].final, (Interval{-20 + 10 * low, -20 + 10 * high}));  // 5 - 1 and 7 - 1
  EXPECT_EQ(found[0].channels[1].start, -20 - 1000 * 10);
  EXPECT_EQ(found[0].textbook, (Interval{-2 * 32768 * 128, 2 * 32768 * 128}));
  EXPECT_FALSE(found[0].channels[0].integer);
}

// Weights [K, N], and [N, K] of a Gemm that says so, of 16 bits as well.
TEST(Bounds, KnowWhichWayRoundWeightsOfSixteenBitsLie) {
  const auto expect = [](const std::string& product, const Tensor& weights) {
    const std::vector<StepBounds> found = bounds(lowered(
        network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n t = " + product +
                    " (a, w)\n y = QuantizeLinear (t, s, z) }",
                {value("x", DType::kUint16, SymbolicShape{1, 2})},
                {{"s", f(1)}, {"z", Tensor::scalar<std::uint16_t>(0)}, {"wq", weights}}, 21),
        Policy::kExact));
    ASSERT_EQ(found.size(), 1U) << product;
    ASSERT_EQ(found[0].channels.size(), 3U);
    EXPECT_EQ(found[0].channels[0].final, (Interval{-2 * 65535, 65535}));
    EXPECT_EQ(found[0].channels[1].final, (Interval{0, 30 * 65535}));
    EXPECT_EQ(found[0].channels[2].final, (Interval{-1000 * 65535, 300 * 65535}));
  };
  const Tensor straight = Tensor::from<std::int16_t>({2, 3}, {1, 10, 300, -2, 20, -1000});
  const Tensor transposed = Tensor::from<std::int16_t>({3, 2}, {1, -2, 10, 20, 300, -1000});
  expect("MatMul", straight);
  expect("Gemm", straight);
  expect("Gemm <transB: int = 1>", transposed);
}

// Weights on the left: a row of them makes a row of the result, and there are no channels.
TEST(Bounds, LeaveOutWeightsOnTheLeft) {
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n t = MatMul (w, a)\n"
      " y = QuantizeLinear (t, s, z) }",
      {value("x", DType::kInt16, SymbolicShape{5, 2})},
      {{"s", f(1)}, {"z", Tensor::scalar<std::int16_t>(0)}, {"wq", Tensor(DType::kInt16, {3, 5})}}, 21);
  EXPECT_TRUE(bounds(lowered(model, Policy::kExact)).empty());
}

// alpha scales the product and not the bias: no integer sum has both.
TEST(Bounds, LeaveOutAFactorBesideABias) {
  const auto count = [](const std::string& attributes) {
    return bounds(lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n"
                                  " b = DequantizeLinear (bq, s)\n t = Gemm " +
                                      attributes + " (a, w, b)\n y = QuantizeLinear (t, s, z) }",
                                  {value("x", DType::kInt16, SymbolicShape{1, 2})},
                                  {{"s", f(1)},
                                   {"z", Tensor::scalar<std::int16_t>(0)},
                                   {"wq", Tensor::from<std::int16_t>({2, 3}, {100, 100, 100, 100, 100, 100})},
                                   {"bq", Tensor(DType::kInt32, {3})}},
                                  21),
                          Policy::kExact))
        .size();
  };
  EXPECT_EQ(count(""), 1U);
  EXPECT_EQ(count("<alpha: float = 2.0>"), 0U);
  EXPECT_EQ(count("<beta: float = 2.0>"), 0U);
}

TEST(Bounds, LeaveOutABiasOfAnotherScale) { EXPECT_TRUE(bounds(lowered(sixteen_bits(0.25F), Policy::kExact)).empty()); }

TEST(Bounds, HaveOneRowForEachChannelAndQuoteNames) {
  Model model = convolution();
  const Program exact = lowered(model, Policy::kExact);
  Program program = exact;
  program.steps[0].name = "a \"b\", c";
  const std::vector<StepBounds> found = bounds(program);
  // M = 0.125 and 0.25, z = -128: y = (acc + 4) >> 3 and (acc + 2) >> 2 but for ties.
  const std::string csv = bounds_csv(program, found, combining_steps(program));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < csv.size(); at = csv.find('\n', at) + 1)
    lines.push_back(csv.substr(at, csv.find('\n', at) - at));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            "step,kind,channel,start,least,greatest,bits,m,m_b,addend,shift,exceptions,m_bits,product_bits,sum_bits,"
            "thresholds");
  EXPECT_TRUE(lines[1].starts_with("\"a \"\"b\"\", c\",convolution,0,13,-624,651,11,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("\"a \"\"b\"\", c\",convolution,1,-56,-1592,1468,12,")) << lines[2];
  for (const std::string& line : lines)
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), &line == lines.data() ? 15 : 16);
}

TEST(Bounds, HaveTheThresholdsOfWhatIsQuantized) {
  // x / 0.5 with zero point 1: y is 1 from x = -0.25 on, a tie that goes to 0, and 2 behind 0.25, one that goes there too.
  const auto csv = [](float scale) {
    const Program program =
        lowered(network("main (x) => (y) { y = QuantizeLinear (x, s, z) }",
                        {value("x", DType::kFloat, SymbolicShape{2})}, {{"s", f(scale)}, {"z", u8(1)}}),
                Policy::kExact);
    return bounds_csv(program, {}, {});
  };
  const std::string text = csv(0.5F);
  EXPECT_NE(text.find(",quantize,,,,,,,,,,,,,,be800000 3e800001 3f400000 "), std::string::npos) << text;
  EXPECT_EQ(csv(-0.5F).find("quantize"), std::string::npos);
}

TEST(QuantizeThresholds, AreWhereTheStepsBegin) {
  for (const Quantization y : {Quantization{0.5F, 1}, {0.003921569F, -128}, {1e-45F, 5}, {1e38F, 0}, {3.4e38F, 127}}) {
    const IntegerRange range = y.zero_point < 0 ? IntegerRange{-128, 127} : IntegerRange{0, 255};
    const std::vector<float> thresholds = quantize_thresholds(y, range);
    ASSERT_EQ(thresholds.size(), 255U);
    for (std::size_t k = 0; k < thresholds.size(); ++k) {
      const auto step = range.min + static_cast<std::int32_t>(k) + 1;
      EXPECT_GE(quantize_linear(thresholds[k], y, range), step);
      const float before = std::nextafter(thresholds[k], -std::numeric_limits<float>::infinity());
      EXPECT_LT(quantize_linear(before, y, range), step);
    }
  }
}

TEST(CombiningSteps, LeaveOutPoolsThatSumInFloatAndImagesOfUnknownSize) {
  const auto found = [](const std::string& pool, const SymbolicShape& shape) {
    return combining_steps(lowered(microsoft(network("main (x) => (y) { y = " + pool + " (x, s, z, s, z) }",
                                                     {value("x", DType::kUint8, shape)}, {{"s", f(1)}, {"z", u8(3)}})),
                                   Policy::kExact));
  };
  const std::vector<CombiningStep> whole = found("QLinearGlobalAveragePool", {1, 2, 4, 5});
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].reach, (Interval{-3 * 20, 252 * 20}));
  EXPECT_TRUE(found("QLinearGlobalAveragePool", {1, 2, Dim::symbol("H"), 5}).empty());
  EXPECT_TRUE(found("QLinearAveragePool <kernel_shape: ints = [2, 2]>", {1, 2, 4, 5}).empty());
  EXPECT_EQ(found("QLinearAveragePool <kernel_shape: ints = [4, 5]>", {1, 2, 4, 5}).size(), 1U);
}

// Where A stands still, ONNX Runtime adds it last, and float32 rounds otherwise.
TEST(CombiningSteps, AddInTheOrderOfTheRuntime) {
  std::mt19937 random(8);
  const auto scale = [&] { return static_cast<float>(1 + random() % 1000000) * 0x1p-20F; };
  const IntegerRange range{0, 255};
  int orders_that_differ = 0;
  for (int k = 0; k < 200 && orders_that_differ < 2; ++k) {
    const Quantization a{scale(), 17}, b{scale(), 130}, y{scale(), 99};
    const QuantizedBinary straight = qlinear_add(a, b, y, range, {}), exchanged = qlinear_add(b, a, y, range, {});
    bool differ = false;
    for (int p = 0; p <= 255; ++p)
      for (int q = 0; q <= 255; ++q) differ = differ || straight(p, q) != exchanged(q, p);
    if (!differ) continue;
    ++orders_that_differ;
    for (const bool stands_still : {false, true}) {
      const Model model = microsoft(network(
          "main (a, b) => (y) { y = QLinearAdd (a, as, az, b, bs, bz, ys, yz) }",
          {value("a", DType::kUint8, SymbolicShape{stands_still ? 1 : 4}), value("b", DType::kUint8, SymbolicShape{4})},
          {{"as", f(a.scale)},
           {"az", u8(17)},
           {"bs", f(b.scale)},
           {"bz", u8(130)},
           {"ys", f(y.scale)},
           {"yz", u8(99)}}));
      const std::vector<CombiningStep> found = combining_steps(lowered(model, Policy::kExact));
      ASSERT_EQ(found.size(), 1U);
      const auto& integer = std::get<IntegerAddition>(found[0].integer);
      for (int p = 0; p <= 255; ++p)
        for (int q = 0; q <= 255; ++q)
          ASSERT_EQ(integer(p, q), stands_still ? exchanged(q, p) : straight(p, q)) << p << " and " << q;
    }
  }
  EXPECT_EQ(orders_that_differ, 2);
}

// Additions, products and pools of ResNet8's kind.
TEST(CombiningSteps, HaveTheConstantsOfAdditionsAndPools) {
  const Program program = lowered(load_model("models/resnet8_int8.onnx"), Policy::kExact);
  const std::vector<CombiningStep> found = combining_steps(program);
  ASSERT_EQ(found.size(), 4U);
  const auto& first = std::get<IntegerAddition>(found[0].integer);
  EXPECT_EQ(program.steps[found[0].step].name, "block1.add");
  EXPECT_EQ(first.ma, 530685);
  EXPECT_EQ(first.mb, 197874);
  EXPECT_EQ(first.addend, -20831901);
  EXPECT_EQ(first.shift, 18);
  EXPECT_EQ(found[0].widths.sum, 28);
  EXPECT_EQ(found[3].kind, StepKind::kPool);
  EXPECT_EQ(found[3].reach, (Interval{0, 16320}));
  EXPECT_TRUE(std::get<IntegerRequantizer>(found[3].integer).exceptions.empty());
}

}  // namespace
}  // namespace octet
