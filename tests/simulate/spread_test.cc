#include "octet/simulate/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace octet {
namespace {

// In Python: statistics.mean, statistics.stdev, and scipy.stats.t.interval(0.95, 3, mean, stdev / 2).
TEST(Spread, HasMeanDeviationAndInterval) {
  const std::vector<double> accuracies = {77.5, 74.5, 73.0, 72.5};
  const Spread spread = spread_of(accuracies);
  EXPECT_EQ(spread.count, 4);
  EXPECT_DOUBLE_EQ(spread.mean, 74.375);
  EXPECT_NEAR(spread.deviation, 2.2500000, 1e-7);
  EXPECT_NEAR(spread.low, 74.375 - 3.182446 * 2.25 / 2, 1e-3);
  EXPECT_NEAR(spread.high, 74.375 + 3.182446 * 2.25 / 2, 1e-3);
  EXPECT_EQ(spread.least, 72.5);
  EXPECT_EQ(spread.most, 77.5);
}

TEST(Spread, HasNoIntervalOfOneNumber) {
  const std::vector<double> one = {3};
  EXPECT_EQ(spread_of(one).deviation, 0);
  EXPECT_EQ(spread_of(one).low, 3);
}

// The quantiles of 31 and of 99 degrees of freedom are 2.0395 and 1.9842.
TEST(Spread, FollowsStudentBeyondItsTable) {
  for (const auto& [count, quantile] : {std::pair(32, 2.0395), std::pair(100, 1.9842)}) {
    std::vector<double> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i % 2);
    const Spread spread = spread_of(numbers);
    EXPECT_NEAR((spread.high - spread.mean) * std::sqrt(count) / spread.deviation, quantile, 0.0002);
  }
}

}  // namespace
}  // namespace octet
