#include "octet/bench/speed.h"

#include <gtest/gtest.h>

#include <numeric>

namespace octet {
namespace {

TEST(Speed, OfOneRunIsThatRun) {
  const Speed speed = speed_of({7});
  EXPECT_EQ(speed.median, 7);
  EXPECT_EQ(speed.p90, 7);
  EXPECT_EQ(speed.p99, 7);
  EXPECT_EQ(speed.least, 7);
  EXPECT_EQ(speed.runs, 1);
}

TEST(Speed, TakesPercentilesByRank) {
  std::vector<double> times(200);
  std::iota(times.rbegin(), times.rend(), 1);
  const Speed speed = speed_of(times);
  EXPECT_EQ(speed.median, 100);
  EXPECT_EQ(speed.p90, 180);
  EXPECT_EQ(speed.p99, 198);
  EXPECT_EQ(speed.least, 1);
  EXPECT_EQ(speed_of({3, 1, 2}).median, 2);
}

}  // namespace
}  // namespace octet
