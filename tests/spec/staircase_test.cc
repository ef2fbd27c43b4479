#include "octet/spec/staircase.h"

#include <gtest/gtest.h>

#include "tests/spec/requantizations.h"

namespace octet {
namespace {

// Written down one accumulator after the other.
Staircase of_every_accumulator(const Requantizer& requantize, const Interval& reach) {
  Staircase stairs{{}, reach.greatest};
  for (std::int64_t acc = reach.least; acc <= reach.greatest; ++acc)
    if (const std::int32_t value = requantize(static_cast<std::int32_t>(acc));
        stairs.steps.empty() || stairs.steps.back().value != value)
      stairs.steps.push_back({acc, value});
  return stairs;
}

TEST(Staircase, HasTheFirstAccumulatorOfEveryValue) {
  for (const RequantizationCase& some : requantization_cases({{-3000, 5000}, {-7, 7}, {40000, 43000}, {5, 5}})) {
    const Staircase stairs = staircase(some.requantizer(), some.reach);
    ASSERT_EQ(stairs, of_every_accumulator(some.requantizer(), some.reach)) << case_text(some);
    ASSERT_EQ(every_step(some.reach, [&](std::int64_t acc) { return some.requantizer()(static_cast<int>(acc)); }),
              stairs);
  }
}

TEST(Staircase, GivesTheValueOfEveryAccumulator) {
  const Requantizer requantize({}, 0.0371F, {3, {-128, 127}, ZeroPoint::kAfterRounding});
  const Staircase stairs = staircase(requantize, {-5000, 4000});
  EXPECT_EQ(stairs.reach(), (Interval{-5000, 4000}));
  for (int acc = -5000; acc <= 4000; ++acc) ASSERT_EQ(stairs(acc), requantize(acc)) << acc;
}

// Beyond 2^24 float32 has no odd accumulators, and steps begin at a few of many.
TEST(Staircase, IsRightAtTheEndsOfInt32) {
  const Interval all = wrapped_to_int32({0, std::int64_t{1} << 31});
  for (const float multiplier : odd_multipliers()) {
    const Requantizer requantize({}, multiplier, {-5, {-128, 127}, ZeroPoint::kAfterRounding});
    const Staircase stairs = staircase(requantize, all);
    ASSERT_EQ(stairs.reach(), all);
    for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
      const auto [first, value] = stairs.steps[k];
      for (const std::int64_t acc : {first, std::min(first + 1, stairs.last(k)), stairs.last(k)})
        ASSERT_EQ(requantize(static_cast<std::int32_t>(acc)), value) << acc << " times " << multiplier;
      if (k > 0) {
        ASSERT_NE(requantize(static_cast<std::int32_t>(first - 1)), value) << first << " times " << multiplier;
      }
    }
  }
}

TEST(Staircase, HasAsManyStepsAsSixteenBitsAsk) {
  const Requantizer requantize({}, 0.37F, {-7, {-32768, 32767}, ZeroPoint::kAfterRounding});
  const Interval reach{-100000, 90000};
  const Staircase stairs = staircase(requantize, reach);
  EXPECT_EQ(stairs, of_every_accumulator(requantize, reach));
  EXPECT_GT(stairs.steps.size(), 60000U);
}

TEST(Staircase, FallsWithANegativeMultiplier) {
  const Requantizer requantize({}, -0.5F, {0, {-128, 127}, ZeroPoint::kAfterRounding});
  EXPECT_EQ(staircase(requantize, {-3, 4}), (Staircase{{{-3, 2}, {-2, 1}, {-1, 0}, {2, -1}, {3, -2}}, 4}));
}

TEST(Staircase, CountsWhereTwoDiffer) {
  const Staircase a{{{0, 1}, {10, 2}, {20, 3}}, 30};
  EXPECT_EQ(differing(a, a), 0);
  EXPECT_EQ(differing(a, {{{0, 1}, {12, 2}, {19, 3}}, 30}), 3);
  EXPECT_EQ(differing(a, {{{0, 7}}, 30}), 31);
  EXPECT_EQ(differing({{{5, 2}}, 14}, a), 5);  // 5 to 9
}

TEST(Interval, IsAllOfInt32WhereASumWraps) {
  const Interval all{-2147483648LL, 2147483647};
  EXPECT_EQ(wrapped_to_int32({-2147483648LL, 5}), (Interval{-2147483648LL, 5}));
  EXPECT_EQ(wrapped_to_int32({-2147483649LL, 5}), all);
  EXPECT_EQ(wrapped_to_int32({0, 2147483647}), (Interval{0, 2147483647}));
  EXPECT_EQ(wrapped_to_int32({0, 2147483648LL}), all);
}

}  // namespace
}  // namespace octet
