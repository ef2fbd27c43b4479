#include "octet/spec/integer_requantizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "octet/spec/quantized/integer_forms.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "tests/spec/requantizations.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Sorted, apart, inside the accumulators, and each of them is needed.
void expect_sound(const IntegerRequantizer& integer, const Interval& reach) {
  std::int64_t end = reach.least;
  for (const RequantizerException& exception : integer.exceptions) {
    ASSERT_GE(exception.first, end);
    ASSERT_LE(exception.first, exception.last);
    end = exception.last + 1;
    for (const std::int64_t acc : {exception.first, exception.last}) ASSERT_NE(integer.line(acc), exception.value);
  }
  ASSERT_LE(end, reach.greatest + 1);
  EXPECT_LE(widths(integer, reach).m, 31);
}

TEST(IntegerRequantizer, EqualsFloat32ForEveryAccumulator) {
  for (const RequantizationCase& some : requantization_cases({{-3000, 5000}, {-7, 7}, {40000, 43000}, {5, 5}})) {
    const Requantizer real = some.requantizer();
    const IntegerRequantizer integer = integer_requantizer(staircase(real, some.reach), some.output.range);
    expect_sound(integer, some.reach);
    for (std::int64_t acc = some.reach.least; acc <= some.reach.greatest; ++acc)
      ASSERT_EQ(integer(acc), real(static_cast<std::int32_t>(acc)))
          << case_text(some) << " acc " << acc << " m " << integer.m << " addend " << integer.addend << " shift "
          << integer.shift;
  }
}

// About as many accumulators as a convolution has.
TEST(IntegerRequantizer, EqualsFloat32OnAMillionAccumulators) {
  std::mt19937 random(4);
  std::int64_t without = 0, with = 0;
  for (int k = 0; k < (kSanitized ? 4 : 60); ++k) {
    const float multiplier =
        std::ldexp(1.0F + static_cast<float>(random() % (1 << 23)) * 0x1p-23F, -13) * (k % 3 == 0 ? -1.0F : 1.0F);
    const Requantizer real({}, multiplier,
                           {static_cast<int>(random() % 256) - 128, {-128, 127}, ZeroPoint::kAfterRounding});
    const Interval reach{-(1 << 19) - static_cast<int>(random() % 1000), 1 << 19};
    const IntegerRequantizer integer = integer_requantizer(staircase(real, reach), {-128, 127});
    expect_sound(integer, reach);
    (integer.exceptions.empty() ? without : with) += 1;
    for (std::int64_t acc = reach.least; acc <= reach.greatest; ++acc)
      ASSERT_EQ(integer(acc), real(static_cast<std::int32_t>(acc))) << multiplier << " acc " << acc;
  }
  EXPECT_GT(without, 0);
  if (!kSanitized) {
    EXPECT_GT(with, 0);
  }
}

// Where float32 has plateaus: both sides of every step and of every exception, and some accumulators between.
TEST(IntegerRequantizer, EqualsFloat32AtTheEndsOfInt32) {
  const Interval all = wrapped_to_int32({0, std::int64_t{1} << 31});
  std::mt19937 random(9);
  for (const float multiplier : {1e-7F, -1e-7F, 6.1e-8F, 0x1p-24F, 0x1p-31F, 0x1p-33F, 3e-9F, 0.01F, 0.5F, -1e9F})
    for (const std::int32_t zero_point : {-128, 0, 127}) {
      const Requantizer real({}, multiplier, {zero_point, {-128, 127}, ZeroPoint::kAfterRounding});
      const Staircase stairs = staircase(real, all);
      const IntegerRequantizer integer = integer_requantizer(stairs, {-128, 127});
      expect_sound(integer, all);
      EXPECT_LE(widths(integer, all).sum, 64);
      const auto expect = [&](std::int64_t acc) {
        if (acc < all.least || acc > all.greatest) return;
        ASSERT_EQ(integer(acc), real(static_cast<std::int32_t>(acc))) << multiplier << " acc " << acc;
      };
      for (std::int64_t beside = -2; beside <= 2; ++beside) {
        for (const StairStep& step : stairs.steps) expect(step.first + beside);
        for (const RequantizerException& exception : integer.exceptions) {
          expect(exception.first + beside);
          expect(exception.last + beside);
        }
      }
      for (int k = 0; k < 1000; ++k) expect(static_cast<std::int32_t>(random()));
      expect(all.greatest);
    }
}

TEST(IntegerRequantizer, EqualsFloat32InSixteenBits) {
  const Requantizer real({}, 0.37F, {-7, {-32768, 32767}, ZeroPoint::kAfterRounding});
  const Interval reach{-10000, 9000};
  const IntegerRequantizer integer = integer_requantizer(staircase(real, reach), {-32768, 32767});
  for (std::int64_t acc = reach.least; acc <= reach.greatest; ++acc)
    ASSERT_EQ(integer(acc), real(static_cast<std::int32_t>(acc))) << acc;
}

// The addends with which a line is right on every accumulator, tried one by one.
std::optional<Interval> addends_of(const Staircase& stairs, const IntegerRange& range, std::int64_t m, int shift) {
  Interval room{-(std::int64_t{1} << 50), std::int64_t{1} << 50};
  for (std::int64_t acc = stairs.reach().least; acc <= stairs.greatest; ++acc) {
    const std::int64_t value = stairs(acc);
    if (value > range.min) room.least = std::max(room.least, (value << shift) - acc * m);
    if (value < range.max) room.greatest = std::min(room.greatest, ((value + 1) << shift) - 1 - acc * m);
  }
  return room.least <= room.greatest ? std::optional(room) : std::nullopt;
}

TEST(IntegerRequantizer, TakesTheSmallestShiftThenTheSmallestMultiplierThenTheMiddleAddend) {
  int tried = 0;
  for (const float multiplier : {0.0371F, 0.041F, 0.0713F, 0.0123F, 1.7F, -0.0371F, -0.21F}) {
    const int zero_point = tried % 2 == 0 ? 3 : -101;
    const Requantizer real({}, multiplier, {zero_point, {-128, 127}, ZeroPoint::kAfterRounding});
    const Staircase stairs = staircase(real, {-190, 210});
    const IntegerRequantizer integer = integer_requantizer(stairs, {-128, 127});
    if (!integer.exceptions.empty()) continue;
    ++tried;
    const std::int64_t sign = multiplier < 0 ? -1 : 1;
    for (int shift = 0; shift <= integer.shift; ++shift)
      for (std::int64_t m = 0; m < (shift < integer.shift ? std::int64_t{4} << shift : sign * integer.m); ++m)
        ASSERT_FALSE(addends_of(stairs, {-128, 127}, sign * m, shift))
            << multiplier << " m " << m << " shift " << shift;
    const std::optional<Interval> room = addends_of(stairs, {-128, 127}, integer.m, integer.shift);
    ASSERT_TRUE(room) << multiplier;
    EXPECT_EQ(integer.addend, (room->least + room->greatest) >> 1);
  }
  EXPECT_GE(tried, 5);
}

// Lines tried one by one.
TEST(IntegerRequantizer, LeavesTheFewestEndsOfStepsToExceptionsWithTheNarrowestMultiplier) {
  std::mt19937 random(23);
  const IntegerRange range{-3, 4};
  const auto wrong_ends = [](const Staircase& stairs, const IntegerRequantizer& line) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
      const auto [first, value] = stairs.steps[k];
      count += (line.line(first) != value ? 1U : 0U) +
               (stairs.last(k) > first && line.line(stairs.last(k)) != value ? 1U : 0U);
    }
    return count;
  };
  const int cases = kSanitized ? 4 : 40;
  int with = 0;
  for (int k = 0; k < cases; ++k) {
    Staircase stairs{{{-30, -3}}, 40};
    for (std::int32_t value = -2; value <= 4; ++value)
      stairs.steps.push_back({8 * value + static_cast<int>(random() % 4), value});
    const IntegerRequantizer integer = integer_requantizer(stairs, range);
    for (std::int64_t acc = -30; acc <= 40; ++acc) ASSERT_EQ(integer(acc), stairs(acc));
    with += integer.exceptions.empty() ? 0 : 1;
    std::size_t fewest = 100;
    for (std::int64_t m = 8; m < 96; ++m)
      for (std::int64_t addend = -512; addend < 512; ++addend)
        fewest = std::min(fewest, wrong_ends(stairs, {m, addend, 8, range, {}}));
    const std::size_t wrong = wrong_ends(stairs, integer);
    ASSERT_LE(wrong, fewest) << "case " << k;
    // And no line with a narrower multiplier has as few.
    const std::int64_t narrower = (std::int64_t{1} << widths(integer, stairs.reach()).m) / 2;
    for (int shift = 0; shift <= integer.shift; ++shift)
      for (std::int64_t m = 0; m < narrower; ++m)
        for (std::int64_t addend = (-4 << shift) - 40 * m; addend < (5 << shift) + 30 * m; ++addend)
          ASSERT_GT(wrong_ends(stairs, {m, addend, shift, range, {}}), wrong) << m << " " << addend << " " << shift;
  }
  EXPECT_GT(with, cases / 4);
}

TEST(IntegerRequantizer, AddsTheExceptionsThatALineNeeds) {
  const Staircase stairs{{{0, 0}, {10, 1}, {20, 2}, {31, 3}, {40, 4}}, 50};
  const IntegerRequantizer integer = integer_requantizer(stairs, {0, 255}, {1, 0}, 0);  // y = acc
  EXPECT_EQ(integer.exceptions,
            (std::vector<RequantizerException>{{1, 9, 0}, {10, 19, 1}, {20, 30, 2}, {31, 39, 3}, {40, 50, 4}}));
  const IntegerRequantizer constant = integer_requantizer(stairs, {0, 255}, {0, 0}, 2);
  EXPECT_EQ(constant.exceptions, (std::vector<RequantizerException>{{0, 9, 0}, {10, 19, 1}, {31, 39, 3}, {40, 50, 4}}));
  const IntegerRequantizer beside = integer_requantizer(stairs, {0, 255}, {1638, 14}, 0);  // 0.09998 acc
  EXPECT_EQ(beside.exceptions, (std::vector<RequantizerException>{{10, 10, 1}, {20, 20, 2}, {40, 40, 4}}));
  const IntegerRequantizer steep = integer_requantizer(stairs, {0, 4}, {100, 0}, -1450);  // past 1 between 14 and 15
  EXPECT_EQ(steep.exceptions, (std::vector<RequantizerException>{{10, 19, 1}, {20, 30, 2}, {31, 39, 3}}));
  for (std::int64_t acc = 0; acc <= 50; ++acc) {
    EXPECT_EQ(steep(acc), stairs(acc)) << acc;
    EXPECT_EQ(integer(acc), stairs(acc)) << acc;
    EXPECT_EQ(constant(acc), stairs(acc)) << acc;
    EXPECT_EQ(beside(acc), stairs(acc)) << acc;
  }
  EXPECT_EQ(excepted(constant), 40);
}

// Lines of 40 bits on all of int32: no line of 31 bits has all of their steps.
TEST(IntegerRequantizer, HasExceptionsRatherThanAWiderMultiplier) {
  const Interval all = wrapped_to_int32({0, std::int64_t{1} << 31});
  std::mt19937_64 random(3);
  std::size_t exceptions = 0;
  for (int k = 0; k < 5; ++k) {
    const auto m = static_cast<std::int64_t>((std::uint64_t{1} << 39) + random() % (std::uint64_t{1} << 39));
    const Staircase stairs = monotone_steps(all, [&](std::int64_t acc) {
      return static_cast<std::int32_t>(std::clamp<__int128>((static_cast<__int128>(acc) * m) >> 63, -128, 127));
    });
    const IntegerRequantizer integer = integer_requantizer(stairs, {-128, 127});
    expect_sound(integer, all);
    exceptions += integer.exceptions.size();
    for (std::size_t step = 0; step < stairs.steps.size(); ++step)
      for (const std::int64_t acc : {stairs.steps[step].first, stairs.last(step)})
        ASSERT_EQ(integer(acc), stairs.steps[step].value) << acc;
  }
  EXPECT_GT(exceptions, 0U);
}

TEST(IntegerRequantizer, RoundsDownAndSaturates) {
  const IntegerRequantizer half{1, 0, 1, {-2, 2}, {{4, 5, -1}}};
  const std::int32_t want[] = {-2, -2, -1, -1, 0, 0, 1, 1, -1, -1, 2};
  for (std::int64_t acc = -4; acc <= 6; ++acc) EXPECT_EQ(half(acc), want[acc + 4]) << acc;
}

TEST(IntegerRequantizer, IsAConstantWithoutSteps) {
  const IntegerRequantizer integer = integer_requantizer(Staircase{{{-70, 5}}, 1000}, {-128, 127});
  EXPECT_EQ(integer.m, 0);
  EXPECT_EQ(integer.addend, 5);
  EXPECT_EQ(integer.shift, 0);
  EXPECT_TRUE(integer.exceptions.empty());
}

TEST(IntegerRequantizer, KnowsItsWidths) {
  const IntegerRequantizer integer{3, -100, 2, {-128, 127}, {}};
  EXPECT_EQ(widths(integer, {-10, 42}), (IntegerWidths{2, 8, 9}));  // -30 to 126, -130 to 26
  EXPECT_EQ(widths(integer, {-10, 43}), (IntegerWidths{2, 9, 9}));  // 129
  const IntegerRequantizer falling{-3, 0, 2, {-128, 127}, {}};
  EXPECT_EQ(widths(falling, {-42, 42}), (IntegerWidths{2, 8, 8}));  // -126 to 126
  EXPECT_EQ(widths(falling, {-43, 42}), (IntegerWidths{2, 9, 9}));
}

// ResNet8's: 64 pixels.
TEST(IntegerAverage, HasTheReferencesConstantsAndNarrowerOnes) {
  const Quantization x{0x1.15b028p-2F, -128}, y{0x1.ef5c8p-6F, -128};
  const IntegerRange range{-128, 127};
  const Interval reach = average_reach(x, 64, range);
  EXPECT_EQ(reach, (Interval{0, 16320}));
  const Requantizer real({}, x.scale / (y.scale * 64.0F), {-128, range, ZeroPoint::kAfterRounding});
  const Staircase stairs = staircase(real, reach);
  EXPECT_TRUE(integer_requantizer(stairs, range, {18369, 17}, -16711680).exceptions.empty());
  EXPECT_FALSE(integer_requantizer(stairs, range, {18368, 17}, -16711680).exceptions.empty());
  const IntegerRequantizer integer = integer_average(x, y, 64, range);
  EXPECT_TRUE(integer.exceptions.empty());
  EXPECT_LE(integer.shift, 17);
  for (std::int32_t acc = 0; acc <= 16320; ++acc) ASSERT_EQ(integer(acc), real(acc)) << acc;
}

TEST(IntegerAverage, AddsTheZeroPointAfterRounding) {
  const IntegerRequantizer integer = integer_average({2, 0}, {1, 1}, 4, {0, 255});  // halves
  const std::int32_t want[] = {1, 1, 2, 3, 3, 3, 4, 5};                             // 0, 0.5, 1, 1.5, ..., and 1
  for (std::int64_t acc = 0; acc < 8; ++acc) EXPECT_EQ(integer(acc), want[acc]) << acc;
}

TEST(IntegerMultiplication, EqualsQLinearMulOnEveryPair) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const IntegerRange& range : {IntegerRange{-128, 127}, IntegerRange{0, 255}})
    for (const auto& [a_zero, b_zero, y_zero] :
         {std::array{0, 0, 0}, std::array{-128, 127, 3}, std::array{5, -7, -128}})
      for (const float scale : {0.013F, 1.0F, 0.0003F, -0.02F, 40000.0F, 1e-12F, infinity, -infinity, std::nanf("")}) {
        const int shift = range.min == 0 ? 128 : 0;
        const Quantization a{1.0F, a_zero + shift}, b{scale, b_zero + shift}, y{1.0F, y_zero + shift};
        const QuantizedBinary real = qlinear_mul(a, b, y, range, {});
        const IntegerRequantizer integer = integer_multiplication(a, b, y, range);
        for (auto x = static_cast<std::int32_t>(range.min); x <= range.max; ++x)
          for (auto z = static_cast<std::int32_t>(range.min); z <= range.max; ++z)
            ASSERT_EQ(integer((x - a.zero_point) * (z - b.zero_point)), real(x, z))
                << scale << ": " << x << " and " << z;
      }
}

}  // namespace
}  // namespace octet
