#include "octet/integer/requantizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet {
namespace {

const Interval kEveryInt32{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};

TEST(AccumulatorReach, OfKnownWeightsIsThatOfEachChannelOrAllOfInt32) {
  work::Sum sum;
  sum.least = {-100, -3'000'000'000, 0};
  sum.greatest = {200, 0, 2'147'483'648};
  EXPECT_EQ(accumulator_reach(sum), (std::vector<Interval>{{-100, 200}, kEveryInt32, kEveryInt32}));
}

// x - 7 lies in [-7, 248] and w + 3 in [-125, 130].
TEST(AccumulatorReach, OfComputedWeightsIsThatOfEveryByte) {
  work::Sum sum;
  sum.x_type = DType::kUint8;
  sum.x_zero_point = 7;
  sum.w_zero_points = {-3};
  EXPECT_EQ(accumulator_reach(sum, DType::kInt8, 10), (Interval{-10 * 248 * 125, 10 * 248 * 130}));
  sum.bias = {5};
  EXPECT_EQ(accumulator_reach(sum, DType::kInt8, 10), (Interval{5 - 10 * 248 * 125, 5 + 10 * 248 * 130}));
  EXPECT_EQ(accumulator_reach(sum, DType::kUint8, 10), (Interval{5 - 10 * 7 * 258, 5 + 10 * 248 * 258}));
  EXPECT_EQ(accumulator_reach(sum, DType::kInt8, 66'609), (Interval{5 - 66'609LL * 31'000, 5 + 66'609LL * 32'240}));
  EXPECT_EQ(accumulator_reach(sum, DType::kInt8, 66'610), kEveryInt32);
}

TEST(Requantizers, EqualTheRuleOnEveryAccumulator) {
  const work::Requantize stage{{0.0123F, -0.0371F, 0.0F}, {1.0F, 9}, DType::kUint8};
  const std::vector<Interval> reach = {{-30'000, 40'000}, {-9'000, 9'000}, {-5, 5}};
  KnownForms forms;
  const std::vector<IntegerRequantizer> found = requantizers(stage, reach, forms);
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m)
    for (std::int64_t acc = reach[m].least; acc <= reach[m].greatest; ++acc) {
      const float t = static_cast<float>(acc) * stage.multipliers[m];
      const std::int64_t rounded = static_cast<std::int64_t>(std::nearbyintf(t)) + 9;  // ties to even
      ASSERT_EQ(found[m](acc), std::clamp<std::int64_t>(rounded, 0, 255)) << m << " " << acc;
    }
}

}  // namespace
}  // namespace octet
