#include "octet/spec/requantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octet {
namespace {

constexpr IntegerRange kInt8 = {-128, 127};
constexpr IntegerRange kUint8 = {0, 255};
constexpr QuantizedOutput kAfter = {.zero_point = 1, .range = kInt8, .place = ZeroPoint::kAfterRounding};
constexpr QuantizedOutput kBefore = {.zero_point = 1, .range = kInt8, .place = ZeroPoint::kBeforeRounding};

std::int32_t requantize(const Arithmetic& arithmetic, float multiplier, const QuantizedOutput& output,
                        std::int32_t accumulator) {
  return Requantizer(arithmetic, multiplier, output)(accumulator);
}

TEST(Requantizer, TellsTheZeroPointBeforeRoundingFromAfterOnATie) {
  EXPECT_EQ(requantize({}, 0.5F, kAfter, 5), 3);   // 2.5 -> 2, + 1
  EXPECT_EQ(requantize({}, 0.5F, kBefore, 5), 4);  // 3.5 -> 4
  EXPECT_EQ(requantize({.zero_point = ZeroPoint::kBeforeRounding}, 0.5F, kAfter, 5), 4);
  EXPECT_EQ(requantize({.zero_point = ZeroPoint::kAfterRounding}, 0.5F, kBefore, 5), 3);
}

TEST(Requantizer, RoundsTheSumWithTheZeroPointToItsOwnType) {
  // 1.4999999 is below the tie; 1.4999999 + 100 is 101.5 in float32, which goes to 102.
  const float below = std::nextafter(1.5F, 1.0F);
  EXPECT_EQ(requantize({}, below, {100, kInt8, ZeroPoint::kAfterRounding}, 1), 101);
  EXPECT_EQ(requantize({}, below, {100, kInt8, ZeroPoint::kBeforeRounding}, 1), 102);
  EXPECT_EQ(requantize({.product = Product::kFloat64}, below, {100, kInt8, ZeroPoint::kBeforeRounding}, 1), 101);
}

TEST(Requantizer, FollowsTheRoundingRule) {
  const QuantizedOutput output = {0, kInt8, ZeroPoint::kAfterRounding};
  const std::int32_t accumulators[] = {-5, -3, -1, 1, 3, 5};  // halves: -2.5 -1.5 -0.5 0.5 1.5 2.5
  const auto expect = [&](Rounding rounding, std::vector<std::int32_t> want) {
    for (const Product product : {Product::kFloat32, Product::kFloat64, Product::kFixedSingle})
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(requantize({.rounding = rounding, .product = product}, 0.5F, output, accumulators[i]), want[i])
            << "rounding " << static_cast<int>(rounding) << " product " << static_cast<int>(product) << " accumulator "
            << accumulators[i];
  };
  expect(Rounding::kTiesEven, {-2, -2, 0, 0, 2, 2});
  expect(Rounding::kTiesAway, {-3, -2, -1, 1, 2, 3});
  expect(Rounding::kTiesUp, {-2, -1, 0, 1, 2, 3});
  expect(Rounding::kTowardZero, {-2, -1, 0, 0, 1, 2});
  expect(Rounding::kFloor, {-3, -2, -1, 0, 1, 2});
}

TEST(Requantizer, Float32LosesTheBitsOfAnAccumulatorAbove24) {
  const QuantizedOutput output = {0, kInt8, ZeroPoint::kAfterRounding};
  const float multiplier = std::ldexp(1.0F, -25);
  // 2^24 + 1 is 2^24 in float32: exactly one half, to even.
  EXPECT_EQ(requantize({}, multiplier, output, 16777217), 0);
  EXPECT_EQ(requantize({.product = Product::kFloat64}, multiplier, output, 16777217), 1);
  EXPECT_EQ(
      requantize({.rounding = Rounding::kTiesEven, .product = Product::kFixedSingle}, multiplier, output, 16777217), 1);
}

TEST(Requantizer, Saturates) {
  for (const Product product : {Product::kFloat32, Product::kFloat64, Product::kFixedSingle, Product::kFixedDouble})
    for (const ZeroPoint place : {ZeroPoint::kBeforeRounding, ZeroPoint::kAfterRounding})
      for (const std::int32_t zero_point : {0, 7, 255}) {
        const QuantizedOutput output = {zero_point, kUint8, place};
        const Arithmetic arithmetic = {.product = product};
        EXPECT_EQ(requantize(arithmetic, 1.0F, output, 1000), 255);
        EXPECT_EQ(requantize(arithmetic, 1.0F, output, -1000), 0);
        EXPECT_EQ(requantize(arithmetic, 1e30F, output, 1), 255);
        EXPECT_EQ(requantize(arithmetic, 1e30F, output, -1), 0);
        EXPECT_EQ(requantize(arithmetic, 1e-30F, output, std::numeric_limits<std::int32_t>::min()), zero_point);
        EXPECT_EQ(requantize(arithmetic, 0.0F, output, 123), zero_point);
      }
}

TEST(Requantizer, TakesInfinityToTheEndsAndNaNToTheMinimum) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const QuantizedOutput& output : {kAfter, kBefore}) {
    EXPECT_EQ(quantize_real(infinity, output, Rounding::kTiesEven), 127);
    EXPECT_EQ(quantize_real(-infinity, output, Rounding::kTiesEven), -128);
    EXPECT_EQ(quantize_real(std::nanf(""), output, Rounding::kTiesEven), -128);
  }
}

// quantize_real is the definition; the default arithmetic has a short way, and rows of accumulators a vector loop.
TEST(Requantizer, AgreesWithItsDefinition) {
  std::vector<std::int32_t> accumulators;
  for (std::int32_t accumulator = -4000; accumulator < 4000; ++accumulator) accumulators.push_back(accumulator);
  std::vector<std::int8_t> row(accumulators.size());
  for (const ZeroPoint place : {ZeroPoint::kBeforeRounding, ZeroPoint::kAfterRounding})
    for (const float multiplier : {0.5F, 0.25F, 0.037F, 1.0F, -0.5F, 0.0F, 1e30F, std::nanf("")})
      for (const std::int32_t zero_point : {-128, -7, 0, 127})
        for (const Rounding rounding : {Rounding::kTiesEven, Rounding::kTiesAway}) {
          const QuantizedOutput output = {zero_point, kInt8, place};
          const Requantizer requantizer({.rounding = rounding}, multiplier, output);
          requantizer.requantize(accumulators, 0, row.data());
          for (std::size_t k = 0; k < row.size(); ++k) {
            const auto want = quantize_real(static_cast<float>(accumulators[k]) * multiplier, output, rounding);
            ASSERT_EQ(requantizer(accumulators[k]), want)
                << accumulators[k] << " * " << multiplier << " + " << zero_point;
            ASSERT_EQ(row[k], want) << accumulators[k] << " * " << multiplier << " + " << zero_point;
          }
        }
}

TEST(PlainQuantizer, AgreesWithItsDefinitionIn16Bits) {
  for (const DType dtype : {DType::kInt16, DType::kUint16}) {
    const IntegerRange range = integer_range(dtype);
    for (const std::int64_t zero_point : {range.min, range.min + 101, range.max}) {
      const QuantizedOutput output = {static_cast<std::int32_t>(zero_point), range, ZeroPoint::kAfterRounding};
      for (float t = -70000; t < 70000; t += 0.25F)
        ASSERT_EQ(PlainQuantizer(output)(t), quantize_real(t, output, Rounding::kTiesEven)) << t << " + " << zero_point;
    }
  }
}

TEST(Requantizer, ConvertsBeforeItSaturatesWhereOnnxRuntimeDoes) {
  QuantizedOutput output = kBefore;
  output.converts_first = true;
  EXPECT_EQ(quantize_real(2147483520.0F, output, Rounding::kTiesEven), 127);  // the last float32 below 2^31
  EXPECT_EQ(quantize_real(2147483648.0F, output, Rounding::kTiesEven), -128);
  EXPECT_EQ(requantize({}, 1e10F, output, 1), -128);
  EXPECT_EQ(requantize({.product = Product::kFloat64}, 1e10F, output, 1), 127);
  EXPECT_EQ(requantize({.zero_point = ZeroPoint::kBeforeRounding}, 1e10F, output, 1), 127);
  const auto after = [](float t, std::int32_t zero_point) {
    return quantize_real(t, {zero_point, kInt8, ZeroPoint::kAfterRounding, true}, Rounding::kTiesEven);
  };
  EXPECT_EQ(after(1e10F, 5), -128);
  EXPECT_EQ(after(1e10F, -5), 127);  // INT32_MIN - 5 wraps
  EXPECT_EQ(after(-1e10F, -5), 127);
  EXPECT_EQ(after(std::nanf(""), 0), -128);
  EXPECT_EQ(after(2.5F, 1), 3);
}

TEST(FixedMultiplier, HasTheAskedNumberOfBits) {
  const auto expect = [](double multiplier, int bits, std::int64_t m, int shift) {
    const FixedMultiplier fixed = fixed_multiplier(multiplier, bits);
    EXPECT_EQ(fixed.m, m) << multiplier << " in " << bits << " bits";
    EXPECT_EQ(fixed.shift, shift) << multiplier << " in " << bits << " bits";
  };
  expect(1.0, 31, 1 << 30, 30);
  expect(0.5, 31, 1 << 30, 31);
  expect(-0.5, 31, -(1 << 30), 31);
  expect(1.0F / 3.0F, 31, 1431655808, 32);  // 11184811 * 2^-25
  expect(1.0F / 3.0F, 8, 171, 9);           // 170.67 / 512
  expect(0.99999994F, 8, 128, 7);           // rounds up to 256 / 256
  expect(0.0, 31, 0, 0);
  expect(std::numeric_limits<double>::infinity(), 31, 0, 0);
}

TEST(FixedProduct, DoubleRoundsTwice) {
  const Arithmetic single = {.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle};
  const Arithmetic twice = {.product = Product::kFixedDouble};
  const FixedMultiplier quarter = fixed_multiplier(0.25, 31);
  EXPECT_EQ(fixed_product(5, quarter, 0, single), 1);    // 1.25
  EXPECT_EQ(fixed_product(5, quarter, 0, twice), 2);     // 2.5 up to 3, 1.5 away to 2
  EXPECT_EQ(fixed_product(-5, quarter, 0, twice), -1);   // -2.5 up to -2, -1
  EXPECT_EQ(fixed_product(-6, quarter, 0, single), -1);  // -1.5 up
  EXPECT_EQ(fixed_product(-6, quarter, 0, twice), -2);   // -3, -1.5 away
  EXPECT_EQ(fixed_product(-6, quarter, 10, twice), 9);   // -3 + 20, 8.5 away
}

TEST(FixedProduct, DoubleSaturatesTheShiftedInput) {
  const Arithmetic twice = {.product = Product::kFixedDouble};
  // 4.0 is 2^30 * 2^-28: the input moves left by 3, past int32, then half of it remains.
  EXPECT_EQ(fixed_product(1 << 29, fixed_multiplier(4.0, 31), 0, twice), 1 << 30);
  EXPECT_EQ(fixed_product(1000, fixed_multiplier(4.0, 31), 0, twice), 4000);
  EXPECT_EQ(
      fixed_product(1000, fixed_multiplier(4.0, 16), 0, {.product = Product::kFixedDouble, .multiplier_bits = 16}),
      4000);
}

TEST(FixedProduct, SingleKeepsTheSignBelowOneQuarter) {
  const FixedMultiplier tiny = fixed_multiplier(1e-30, 31);
  EXPECT_EQ(fixed_product(-1, tiny, 0, {.rounding = Rounding::kFloor, .product = Product::kFixedSingle}), -1);
  EXPECT_EQ(fixed_product(-1, tiny, 0, {.rounding = Rounding::kTiesEven, .product = Product::kFixedSingle}), 0);
  EXPECT_EQ(fixed_product(1 << 30, fixed_multiplier(1e30, 31), 0, {.product = Product::kFixedSingle}),
            std::numeric_limits<std::int64_t>::max() / 2);
}

// In 8 bits one third is 171 / 512.
TEST(Requantizer, NarrowMultipliersShowInTheResult) {
  const QuantizedOutput output = {0, kInt8, ZeroPoint::kAfterRounding};
  const float third = 1.0F / 3.0F;
  EXPECT_EQ(requantize({.product = Product::kFixedSingle}, third, output, 379), 126);                        // 126.3
  EXPECT_EQ(requantize({.product = Product::kFixedSingle, .multiplier_bits = 8}, third, output, 379), 127);  // 126.6
}

}  // namespace
}  // namespace octet
