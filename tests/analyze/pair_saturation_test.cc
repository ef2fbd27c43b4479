#include "octet/analyze/support/pair_saturation.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet {
namespace {

// 255 * 127 + 200 * 50 = 42385 saturates at 32767 and loses 9618; 10 * -5 + 20 * 3 = 10 does not; 255 * -128 = -32640
// has no partner and fits.
TEST(PairSaturation, LosesWhatInt16DoesNotHold) {
  const std::vector<std::int32_t> a = {255, 200, 10, 20, 255}, b = {127, 50, -5, 3, -128};
  const std::vector<LostPair> pairs = lost_pairs(a, b);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].exact, 42385);
  EXPECT_EQ(pairs[0].lost, 9618);
}

// 2 * 255 * -128 = -65280 stops at -32768.
TEST(PairSaturation, LosesAtTheLowEndToo) {
  const std::vector<std::int32_t> a = {1, 2, 255, 255}, b = {1, 1, -128, -128};
  const std::vector<LostPair> pairs = lost_pairs(a, b);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, 2U);
  EXPECT_EQ(pairs[0].lost, -65280 + 32768);
}

TEST(PairSaturation, SparesReducedRange) {
  const std::vector<std::int32_t> a(64, 255);
  EXPECT_TRUE(lost_pairs(a, std::vector<std::int32_t>(64, 64)).empty());
  EXPECT_TRUE(lost_pairs(a, std::vector<std::int32_t>(64, -64)).empty());
  EXPECT_EQ(lost_pairs(a, std::vector<std::int32_t>(64, 65)).size(), 32U);
}

}  // namespace
}  // namespace octet
