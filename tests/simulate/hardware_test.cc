// Every switch, on a case small enough for a head: the results in the comments were worked out by hand.
#include "octet/simulate/hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

// One QLinearConv: x is uint8 [1, 2, 1, 2] with zero point 4, w is int8 [2, 2, 1, 1], scales 0.5 * {0.25, 0.5} / 1.
//
//   x - 4 = {6, 16 | -2, 196}      channel by channel
//   channel 0: acc = 10 + 2 * x0 - 3 * x1 = {10 + 12 + 6, 10 + 32 - 588} = {28, -546}, M = 0.125: {3.5, -68.25}
//   channel 1: acc = -20 + 5 * x0 + 7 * x1 = {-20 + 30 - 14, -20 + 80 + 1372} = {-4, 1432}, M = 0.25: {-1, 358}
//   y = saturate(round(t) + 100) = {104, 32 | 99, 255}
struct Case {
  std::vector<std::int64_t> pads = {0, 0, 0, 0};
  std::vector<float> w_scales = {0.25F, 0.5F};
  float x_scale = 0.5F;
  std::uint8_t x_zero_point = 4, y_zero_point = 100;
  std::vector<std::int8_t> weights = {2, -3, 5, 7};

  Program program() const {
    const auto channels = static_cast<std::int64_t>(w_scales.size());
    Model model = network(
        "main (x) => (y) { y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz, b) }",
        {value("x", DType::kUint8, SymbolicShape{1, 2, 1, 2})},
        {{"xs", f(x_scale)},
         {"xz", u8(x_zero_point)},
         {"w", Tensor::from<std::int8_t>({2, 2, 1, 1}, std::span<const std::int8_t>(weights))},
         {"ws", channels == 1 ? f(w_scales[0]) : Tensor::from<float>({channels}, std::span<const float>(w_scales))},
         {"wz", s8(0)},
         {"ys", f(1)},
         {"yz", u8(y_zero_point)},
         {"b", Tensor::from<std::int32_t>({2}, {10, -20})}});
    model.graph.nodes[0].attributes.set("pads", pads);
    return lowered(model, Policy::kExact);
  }
};

std::vector<int> run(const Program& program, const Arithmetic& arithmetic, std::vector<std::uint8_t> x) {
  const ReferenceEngine engine(program, {.arithmetic = arithmetic, .integer_steps_only = true});
  const Tensor input = Tensor::from<std::uint8_t>({1, 2, 1, 2}, std::span<const std::uint8_t>(x));
  const Tensor y = engine.run({{"x", input}}).at("y");
  const auto bytes = y.as<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

std::vector<int> run(const Hardware& hardware, const Case& of = {}) {
  return run(on_hardware(of.program(), hardware), hardware.arithmetic, {10, 20, 2, 200});
}

using Ints = std::vector<int>;

TEST(Hardware, ChangesNothingByDefault) {
  EXPECT_EQ(run(Case().program(), {}, {10, 20, 2, 200}), (Ints{104, 32, 99, 255}));
  EXPECT_EQ(run(Hardware{}), (Ints{104, 32, 99, 255}));
}

TEST(Hardware, WrapsNarrowAccumulators) {
  // 8 bits: 28; -546 + 512 = -34, t = -4.25; -4; 1432 - 1536 = -104, t = -26.
  EXPECT_EQ(run({.arithmetic = {.accumulator_bits = 8}}), (Ints{104, 96, 99, 74}));
}

TEST(Hardware, SaturatesNarrowAccumulatorsAfterEveryAddition) {
  // 8 bits: 10 + 12 + 6 = 28; 10 + 32 - 588 -> -128, t = -16; -20 + 30 - 14 = -4; -20 + 80 + 1372 -> 127, t = 31.75.
  EXPECT_EQ(run({.arithmetic = {.accumulator_bits = 8, .accumulator_overflow = Overflow::kSaturate}}),
            (Ints{104, 84, 99, 132}));
  // The last addition is not the only one that saturates: -20 + 200 * 5 -> 127, then + 7 * -4 = 99, t = 24.75.
  const Hardware hardware{.arithmetic = {.accumulator_bits = 8, .accumulator_overflow = Overflow::kSaturate}};
  EXPECT_EQ(run(on_hardware(Case().program(), hardware), hardware.arithmetic, {204, 4, 0, 4})[2], 125);
}

TEST(Hardware, RoundsByEveryRule) {
  // t = {3.5, -68.25, -1, 358}
  EXPECT_EQ(run({.arithmetic = {.rounding = Rounding::kTiesAway}}), (Ints{104, 32, 99, 255}));
  EXPECT_EQ(run({.arithmetic = {.rounding = Rounding::kTowardZero}}), (Ints{103, 32, 99, 255}));
  EXPECT_EQ(run({.arithmetic = {.rounding = Rounding::kFloor}}), (Ints{103, 31, 99, 255}));
  // x - 4 = {-4 | 2}: acc = 10 - 8 - 6 = -4, t = -0.5: even and up give 0, away gives -1.
  const auto tie = [](Rounding rounding) { return run(Case().program(), {.rounding = rounding}, {0, 0, 6, 6})[0]; };
  EXPECT_EQ(tie(Rounding::kTiesEven), 100);
  EXPECT_EQ(tie(Rounding::kTiesUp), 100);
  EXPECT_EQ(tie(Rounding::kTiesAway), 99);
  // x - 4 = {0 | 2}: acc = 10 - 6 = 4, t = 0.5: even gives 0, the others 1.
  const auto positive = [](Rounding rounding) {
    return run(Case().program(), {.rounding = rounding}, {4, 0, 6, 6})[0];
  };
  EXPECT_EQ(positive(Rounding::kTiesEven), 100);
  EXPECT_EQ(positive(Rounding::kTiesUp), 101);
  EXPECT_EQ(positive(Rounding::kTiesAway), 101);
}

TEST(Hardware, AddsTheZeroPointBeforeRounding) {
  // t = 0.5: 0 + 101 after rounding, 101.5 -> 102 before.
  const Program program = Case{.y_zero_point = 101}.program();
  EXPECT_EQ(run(program, {}, {4, 0, 6, 6})[0], 101);
  EXPECT_EQ(run(program, {.zero_point = ZeroPoint::kBeforeRounding}, {4, 0, 6, 6})[0], 102);
}

TEST(Hardware, KeepsThePolicyOfTheProgram) {
  const Program program = Case{}.program();
  EXPECT_EQ(on_hardware(program, {.uncorrected = true}).policy, Policy::kExact);
}

TEST(Hardware, SumsTapByTap) {
  // Two channels, two taps: products 100 (tap 0, channel 0), 100 (tap 0, channel 1), -100 and -100 (tap 1). In 8 bits that
  // saturate: 100, 127, 27, -73. Channel by channel it would be 100, 0, 100, 0.
  const Program program = lowered(network("main (x) => (y) { y = QLinearConv (x, s, xz, w, s, wz, s, yz) }",
                                          {value("x", DType::kUint8, SymbolicShape{1, 2, 1, 2})},
                                          {{"s", f(1)},
                                           {"xz", u8(0)},
                                           {"yz", u8(100)},
                                           {"wz", s8(0)},
                                           {"w", Tensor::from<std::int8_t>({1, 2, 1, 2}, {100, -100, 100, -100})}}),
                                  Policy::kExact);
  EXPECT_EQ(run(program, {}, {1, 1, 1, 1}), (Ints{100}));
  EXPECT_EQ(run(program, {.accumulator_bits = 8, .accumulator_overflow = Overflow::kSaturate}, {1, 1, 1, 1}),
            (Ints{27}));
}

TEST(Hardware, RoundsStochasticallyInProportion) {
  // t = -68.25: three quarters of all draws make it -68, the others -69.
  int up = 0;
  const Program program = Case().program();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Ints y = run(program, {.stochastic = true, .seed = seed}, {10, 20, 2, 200});
    ASSERT_TRUE(y[1] == 31 || y[1] == 32) << y[1];
    EXPECT_EQ(y[2], 99);  // -1 is whole: no draw moves it
    up += y[1] == 32;
  }
  EXPECT_GT(up, 1400);  // 1500 are expected, the deviation is 19
  EXPECT_LT(up, 1600);
  EXPECT_EQ(run(program, {.stochastic = true, .seed = 7}, {10, 20, 2, 200}),
            run(program, {.stochastic = true, .seed = 7}, {10, 20, 2, 200}));
}

TEST(Hardware, StoresMultipliersInNarrowForms) {
  // x_scale 0.7: M = {0.175, 0.35}, t = {4.9, -95.55, -1.4, 501.2}.
  const Case of{.x_scale = 0.7F};
  EXPECT_EQ(run(Hardware{}, of), (Ints{105, 4, 99, 255}));
  // The nearest powers of two are 1/8 (0.175 / 0.125 = 1.4 < sqrt 2) and 1/4 (1.4): t = {3.5, -68.25, -1, 358}.
  EXPECT_EQ(run({.arithmetic = {.multiplier_form = MultiplierForm::kPowerOfTwo}}, of), (Ints{104, 32, 99, 255}));
  // 2 bits: 0.175 = 0.7 / 4 -> 3/16 (0.7 * 4 = 2.8 -> 3), t = {5.25, -102.375}; 0.35 -> 3/8, t = {-1.5, 537}.
  EXPECT_EQ(run({.arithmetic = {.product = Product::kFixedSingle, .multiplier_bits = 2}}, of), (Ints{105, 0, 98, 255}));
  // float16 has 11 bits, bfloat16 8: a multiplier of 1 + 2^-9 stays in one and becomes 1 in the other.
  EXPECT_EQ(stored_multiplier(1.001953125F, MultiplierForm::kFloat16), 1.001953125F);
  EXPECT_EQ(stored_multiplier(1.001953125F, MultiplierForm::kBfloat16), 1.0F);
  // float16 ends at 2^-24: a multiplier of 2^-26 is gone.
  EXPECT_EQ(stored_multiplier(0x1p-26F, MultiplierForm::kFloat16), 0.0F);
  EXPECT_EQ(stored_multiplier(0.75F, MultiplierForm::kPowerOfTwo), 1.0F);
  EXPECT_EQ(stored_multiplier(0.7F, MultiplierForm::kPowerOfTwo), 0.5F);
}

TEST(Hardware, StoresScalesAsFloat16) {
  // 2^-26 is no float16: the scale of channel 1 becomes 0, and its result the zero point.
  EXPECT_EQ(run({.half_scales = true}, {.w_scales = {0.25F, 0x1p-26F}}), (Ints{104, 32, 100, 100}));
}

TEST(Hardware, LeavesOutTheCorrection) {
  // Raw x = {10, 20 | 2, 200}: channel 0: 10 + 20 - 6 = 24, 10 + 40 - 600 = -550: t = {3, -68.75};
  // channel 1: -20 + 50 + 14 = 44, -20 + 100 + 1400: t = {11, 370}.
  EXPECT_EQ(run({.uncorrected = true}), (Ints{103, 31, 111, 255}));
}

TEST(Hardware, PadsWithZeroInPlaceOfTheZeroPoint) {
  // A column before: right is acc = bias, t = {1.25, -5}: {101, 95}. The byte 0 reads as -4: channel 0:
  // 10 - 8 + 12 = 14, t = 1.75; channel 1: -20 - 20 - 28 = -68, t = -17.
  const Case of{.pads = {0, 1, 0, 0}};
  EXPECT_EQ(run(Hardware{}, of), (Ints{101, 104, 32, 95, 99, 255}));
  EXPECT_EQ(run({.pads_with_zero_byte = true}, of), (Ints{102, 104, 32, 83, 99, 255}));
  // Without the correction, padding still is the zero point: 10 + 8 - 12 = 6, t = 0.75; -20 + 20 + 28 = 28, t = 7.
  EXPECT_EQ(run({.uncorrected = true}, of), (Ints{101, 103, 31, 107, 111, 255}));
}

TEST(Hardware, UsesTheFirstScaleForAll) {
  // Channel 1 with M = 0.125: acc = {-4, 1432}, t = {-0.5, 179}.
  EXPECT_EQ(run({.first_scale_for_all = true}), (Ints{104, 32, 100, 255}));
}

TEST(Hardware, SaturatesPairsOfProducts) {
  // 200 * 120 + 200 * 127 = 49400 -> 32767: 16633 are lost. acc = 10 + 196 * 247 = 48422, and 31789 without them.
  const Case of{.w_scales = {0.005F, 0.005F}, .weights = {120, 127, 1, 1}};
  const std::vector<std::uint8_t> x = {200, 1, 200, 1};
  const Hardware hardware{.arithmetic = {.saturating_pairs = true}};
  EXPECT_EQ(run(of.program(), {}, x)[0], 221);                                          // 48422 * 0.0025 = 121.055
  EXPECT_EQ(run(on_hardware(of.program(), hardware), hardware.arithmetic, x)[0], 179);  // 79.47
  EXPECT_EQ(run(on_hardware(of.program(), hardware), hardware.arithmetic, x)[1], 98);   // 10 - 3 * 247 fits: -1.8
}

TEST(Hardware, SumsNothing) {
  // No products at all: the result is the zero point, however they would be summed.
  const Program program =
      lowered(network("main (x) => (y) { y = QLinearMatMul (x, s, z, w, s, wz, s, z) }",
                      {value("x", DType::kUint8, SymbolicShape{1, 0})},
                      {{"s", f(1)}, {"z", u8(7)}, {"wz", s8(0)}, {"w", Tensor(DType::kInt8, {0, 2})}}),
              Policy::kAsWritten);
  for (const Arithmetic& arithmetic :
       {Arithmetic{}, Arithmetic{.saturating_pairs = true}, Arithmetic{.analog = {.rows = 4, .adc_bits = 8}}}) {
    const ReferenceEngine engine(program, {.arithmetic = arithmetic});
    const Tensor y = engine.run({{"x", Tensor(DType::kUint8, {1, 0})}}).at("y");
    EXPECT_EQ(y.int_at(0), 7);
    EXPECT_EQ(y.int_at(1), 7);
  }
}

TEST(Hardware, ReadsAnalogSumsThroughAConverter) {
  // One tile of 2 rows, reach = max(|2| + |3|, |5| + |7|) = 12, full scale 255 * 12 = 3060; 4 bits: lsb = 382.5.
  // Sums {18, -556 | 16, 1452} / 382.5 = {0.05, -1.45 | 0.04, 3.8} -> {0, -1 | 0, 4} * 382.5 = {0, -382.5 | 0, 1530}
  // acc = {10, 10 - 382 | -20, -20 + 1530}, t = {1.25, -46.5 | -5, 377.5}; -382.5 is a tie: to even.
  EXPECT_EQ(run({.arithmetic = {.analog = {.rows = 2, .adc_bits = 4}}}), (Ints{101, 54, 95, 255}));
  // A row per tile: full scales 255 * 5 and 255 * 7, lsb = 159.375 and 223.125.
  // Channel 0: 12 and 6 -> 0; 32 -> 0, -588 / 223.125 = -2.6 -> -3: -669. Channel 1: 30, -14 -> 0; 80 / 159.375 = 0.502
  // -> 1: 159.375, 1372 / 223.125 = 6.1 -> 6: 1338.75. acc = {10, -659 | -20, 1478}, t = {1.25, -82.375 | -5, 369.5}.
  EXPECT_EQ(run({.arithmetic = {.analog = {.rows = 1, .adc_bits = 4}}}), (Ints{101, 18, 95, 255}));
  // A quarter of the range clips: lsb = 95.625, codes end at -8 and 7: -556 / 95.6 = -5.8 -> -6, 1452 -> 7: 669.375.
  // acc = {10, 10 - 574 | -20, 649}, t = {1.25, -70.5 | -5, 162.25}.
  EXPECT_EQ(run({.arithmetic = {.analog = {.rows = 2, .adc_bits = 4, .adc_range = 0.25}}}), (Ints{101, 30, 95, 255}));
  // Without a converter, or with one fine enough, nothing changes.
  EXPECT_EQ(run({.arithmetic = {.analog = {.rows = 1}}}), (Ints{104, 32, 99, 255}));
  EXPECT_EQ(run({.arithmetic = {.analog = {.rows = 2, .adc_bits = 24}}}), (Ints{104, 32, 99, 255}));
}

TEST(Hardware, AddsNoiseToWeightsOnce) {
  // Channel 0 has no weights but noise; its second sum deviates by 0.05 * 7 * sqrt(16^2 + 196^2) = 68.8, the result by
  // an eighth of it, 8.6, and the mean of 500 by 0.38. Without noise it is 10 / 8 + 100 = 101.
  double sum = 0, squares = 0;
  const Program program = Case{.weights = {0, 0, 0, 7}}.program();
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Arithmetic noisy{.analog = {.rows = 2, .weight_noise = 0.05}, .seed = seed};
    const Ints y = run(program, noisy, {10, 20, 2, 200});
    EXPECT_EQ(y, run(program, noisy, {10, 20, 2, 200}));
    sum += y[1] - 101;
    squares += (y[1] - 101) * (y[1] - 101);
  }
  EXPECT_NEAR(sum / 500, 0, 1.5);
  EXPECT_NEAR(std::sqrt(squares / 500), 8.6, 1.0);
}

TEST(Hardware, SaysWhenASwitchHasNoUse) {
  const auto refusal = [](const Hardware& hardware, const Case& of) {
    return failure_of([&] { on_hardware(of.program(), hardware); }).message();
  };
  EXPECT_EQ(refusal({.first_scale_for_all = true}, {.w_scales = {0.25F}}),
            "the weights have one scale per tensor: all channels have the first one's");
  EXPECT_EQ(refusal({.first_scale_for_all = true}, {.w_scales = {0.25F, 0.25F}}),
            "the weights have one scale per tensor: all channels have the first one's");
  EXPECT_EQ(refusal({.uncorrected = true}, {.x_zero_point = 0}),
            "no zero point of the activations that is known beforehand differs from 0: there is nothing to correct");
  EXPECT_EQ(refusal({.pads_with_zero_byte = true}, {}),
            "no convolution pads an input whose zero point is not 0: the byte 0 is right");
  EXPECT_EQ(refusal({.half_scales = true}, {}), "every scale is a float16 already");
  EXPECT_EQ(failure_of([] {
              on_hardware(lowered(convolution(), Policy::kExact), {.arithmetic = {.saturating_pairs = true}});
            }).message(),
            "no step multiplies uint8 activations by int8 weights: the instruction that saturates is not used");
  EXPECT_EQ(refusal({.arithmetic = {.accumulator_bits = 7}}, {}), "an accumulator of 7 bits, wanted 8 to 32");
  EXPECT_EQ(refusal({.arithmetic = {.multiplier_bits = 32}}, {}), "a multiplier of 32 bits, wanted 2 to 31");
  EXPECT_EQ(refusal({.arithmetic = {.analog = {.rows = 2, .adc_bits = 25}}}, {}),
            "a converter of 25 bits, wanted 2 to 24");
  for (const Arithmetic& both : {Arithmetic{.accumulator_bits = 16, .saturating_pairs = true},
                                 Arithmetic{.accumulator_bits = 16, .analog = {.rows = 2}},
                                 Arithmetic{.saturating_pairs = true, .analog = {.rows = 2}}})
    EXPECT_EQ(
        refusal({.arithmetic = both}, {}),
        "a narrow accumulator, pairs that saturate and an analog array are three ways to sum: wanted one of them");
}

// uint8 x times int8 w, int32 out: a dynamic network's sum, with nothing that requantizes.
TEST(Hardware, KnowsWhatADynamicNetworkHasNoUseFor) {
  const auto product = [](const char* text) {
    return lowered(
        network(text, {value("x", DType::kUint8, SymbolicShape{1, 2}), value("v", DType::kInt8, SymbolicShape{2, 1})},
                {{"z", u8(3)}, {"w", Tensor::from<std::int8_t>({2, 1}, {100, 100})}}),
        Policy::kExact);
  };
  const Program constant = product("main (x, v) => (y) { y = MatMulInteger (x, w, z) }");
  const auto refusal = [](const Program& program, const Hardware& hardware) {
    return failure_of([&] { on_hardware(program, hardware); }).message();
  };
  for (const Arithmetic& arithmetic :
       {Arithmetic{.rounding = Rounding::kFloor}, Arithmetic{.multiplier_form = MultiplierForm::kPowerOfTwo}})
    EXPECT_EQ(refusal(constant, {.arithmetic = arithmetic}),
              "no step requantizes to 8 bits: there is nothing to round or to multiply");
  const Program computed = product("main (x, v) => (y) { y = MatMulInteger (x, v, z) }");
  EXPECT_EQ(refusal(computed, {.arithmetic = {.analog = {.rows = 2}}}),
            "y multiplies what is computed: an analog array holds weights that are known");
}

// "SAME" pads by the size of the image, which must be known then.
TEST(Hardware, WantsToKnowHowMuchIsPadded) {
  const auto program = [](Dim width) {
    Model model =
        network("main (x) => (y) { y = QLinearConv (x, s, z, w, s, wz, s, z) }",
                {value("x", DType::kUint8, SymbolicShape{1, 1, 1, std::move(width)})},
                {{"s", f(1)}, {"z", u8(9)}, {"wz", s8(0)}, {"w", Tensor::from<std::int8_t>({1, 1, 1, 3}, {1, 1, 1})}});
    model.graph.nodes[0].attributes.set("auto_pad", std::string("SAME_UPPER"));
    return lowered(model, Policy::kExact);
  };
  EXPECT_EQ(failure_of([&] { on_hardware(program(Dim::symbol("W")), {.pads_with_zero_byte = true}); }).message(),
            "y: how much is padded is not known; give the dimensions with --dim");
  // A column on either side: 10 + 10 - 2 * 9 + (0 - 9) + 9 = 2; with the zero point it would be 11.
  const ReferenceEngine engine(on_hardware(program(2), {.pads_with_zero_byte = true}));
  EXPECT_EQ(engine.run({{"x", Tensor::from<std::uint8_t>({1, 1, 1, 2}, {10, 10})}}).at("y").int_at(0), 2);
}

TEST(Hardware, AddsWithStoredRatiosAndStochastically) {
  // (a - 3) * 0.75 / 1 + (b + 2) * 0.5 / 1: a = 10, b = 5: 5.25 + 3.5 = 8.75 -> 9, + 1 = 10. 0.75 as a power of two is 1:
  // 7 + 3.5 = 10.5, + 1 = 11.5 -> 12 (the zero point comes before rounding).
  Model model = network("main (a, b) => (y) { y = QLinearAdd (a, as, az, b, bs, bz, s, z) }",
                        {value("a", DType::kInt8, SymbolicShape{1, 1}), value("b", DType::kInt8, SymbolicShape{1, 1})},
                        {{"as", f(0.75F)}, {"az", s8(3)}, {"bs", f(0.5F)}, {"bz", s8(-2)}, {"s", f(1)}, {"z", s8(1)}});
  model.graph.nodes[0].domain = "com.microsoft";
  const Program program = lowered(model, Policy::kExact);
  const auto add = [&](const Arithmetic& arithmetic) {
    const ReferenceEngine engine(program, {.arithmetic = arithmetic, .integer_steps_only = true});
    return engine.run({{"a", Tensor::from<std::int8_t>({1, 1}, {10})}, {"b", Tensor::from<std::int8_t>({1, 1}, {5})}})
        .at("y")
        .int_at(0);
  };
  EXPECT_EQ(add({}), 10);
  EXPECT_EQ(add({.multiplier_form = MultiplierForm::kPowerOfTwo}), 12);
  int up = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::int64_t y = add({.stochastic = true, .seed = seed});
    ASSERT_TRUE(y == 9 || y == 10) << y;
    up += y == 10;
  }
  EXPECT_NEAR(up, 300, 40);  // 8.75: three quarters; the deviation is 8.7
}

TEST(Hardware, LeavesTheBorderAlone) {
  // 3 / 2 = 1.5 -> 2, also where integer steps round down.
  const Program program = lowered(network("main (x) => (y) { y = QuantizeLinear (x, s, z) }",
                                          {value("x", DType::kFloat, SymbolicShape{1})}, {{"s", f(2)}, {"z", s8(0)}}),
                                  Policy::kExact);
  const ReferenceEngine engine(program, {.arithmetic = {.rounding = Rounding::kFloor}, .integer_steps_only = true});
  EXPECT_EQ(engine.run({{"x", Tensor::from<float>({1}, {3})}}).at("y").int_at(0), 2);
}

// What a program on hardware must still be: every switch on a network of two convolutions that pad, per channel, with an
// input that is read with another scale than it is written with.
class OnHardware : public testing::Test {
 protected:
  static Program exact() {
    Model model = network(
        "main (x) => (y) { q = QuantizeLinear (x, xs, xz)\n"
        " p = QLinearConv <pads: ints = [0, 1, 0, 1]> (q, ps, xz, w, ws, wz, ps, pz, b)\n"
        " y = QLinearConv <pads: ints = [0, 1, 0, 0]> (p, ps, pz, w, ws, wz, xs, xz) }",
        {value("x", DType::kFloat, SymbolicShape{N(), 2, 1, 2})},
        {{"xs", f(0.3F)},
         {"xz", u8(4)},
         {"ps", f(0.7F)},
         {"pz", u8(100)},
         {"w", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7})},
         {"ws", Tensor::from<float>({2}, {0.3F, 0.7F})},
         {"wz", s8(0)},
         {"b", Tensor::from<std::int32_t>({2}, {10, -20})}});
    return lowered(std::move(model), Policy::kExact);
  }

  static std::vector<Hardware> switches() {
    return {{},
            {.half_scales = true},
            {.uncorrected = true},
            {.pads_with_zero_byte = true},
            {.first_scale_for_all = true},
            {.half_scales = true, .uncorrected = true, .pads_with_zero_byte = true, .first_scale_for_all = true}};
  }

  static std::size_t sums_with_bounds(const Program& program) {
    return static_cast<std::size_t>(std::ranges::count_if(program.steps, [](const Step& step) {
      const work::Sum* sum = sum_of(step.work);
      return sum && !sum->least.empty();
    }));
  }
};

TEST_F(OnHardware, IsConsistent) {
  for (const Hardware& hardware : switches()) require_consistent(on_hardware(exact(), hardware));
}

TEST_F(OnHardware, WarnsOnce) {
  const auto warnings = [](const Program& program, std::string_view name) {
    for (const Step& step : program.steps)
      if (step.name == name) return warnings_of(step);
    throw Error(ErrorCode::kUsage, "no such step");
  };
  ASSERT_EQ(warnings(exact(), "p"),
            std::vector<std::string>{
                "q is written with scale 0.3, zero point 4, and read here with scale 0.7, zero point 4"});
  EXPECT_EQ(warnings(on_hardware(exact(), {}), "p"), warnings(exact(), "p"));
  EXPECT_EQ(warnings(on_hardware(exact(), {.first_scale_for_all = true}), "p"), warnings(exact(), "p"));
}

TEST_F(OnHardware, GivesEveryValueAShape) {
  for (const Hardware& hardware : switches())
    for (const ProgramValue& value : on_hardware(exact(), hardware).values)
      EXPECT_TRUE(value.shape && value.dtype != DType::kUndefined) << value.name;
  const Program padded = on_hardware(exact(), {.pads_with_zero_byte = true});
  EXPECT_EQ(find_value(padded, "q_padded")->shape, (SymbolicShape{N(), 2, 1, 4}));
}

TEST_F(OnHardware, KeepsTheBoundsOfEverySum) {
  EXPECT_EQ(sums_with_bounds(exact()), 2U);
  for (const Hardware& hardware : switches()) EXPECT_EQ(sums_with_bounds(on_hardware(exact(), hardware)), 2U);
  // Raw bytes: bias 10 + 2 * [0, 255] - 3 * [0, 255], where it was x - 4.
  const Program program = on_hardware(exact(), {.uncorrected = true});
  for (const Step& step : program.steps)
    if (const work::Sum* sum = sum_of(step.work); sum && step.name == "p") {
      EXPECT_EQ(sum->least[0], 10 - 3 * 255);
      EXPECT_EQ(sum->greatest[0], 10 + 2 * 255);
    }
}

}  // namespace
}  // namespace octet
