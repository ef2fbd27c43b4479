#include "octet/spec/rounding.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

static_assert(round_small_ties_even(2.5F) == 2 && round_ties_even(2.5F) == 2 && round_ties_even(3.5F) == 4 &&
              round_ties_even(-2.5) == -2);

TEST(Rounding, FollowsTheTableInItsHeader) {
  const double x[6] = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5};
  const std::int64_t even[6] = {-2, -2, 0, 0, 2, 2}, away[6] = {-3, -2, -1, 1, 2, 3}, up[6] = {-2, -1, 0, 1, 2, 3},
                     zero[6] = {-2, -1, 0, 0, 1, 2}, floor[6] = {-3, -2, -1, 0, 1, 2};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(round_ties_even(x[i]), even[i]);
    EXPECT_EQ(round_ties_away(x[i]), away[i]);
    EXPECT_EQ(round_ties_up(x[i]), up[i]);
    EXPECT_EQ(round_toward_zero(x[i]), zero[i]);
    EXPECT_EQ(round_floor(x[i]), floor[i]);
    const __int128 doubled = static_cast<__int128>(x[i] * 2);
    EXPECT_EQ(shift_right(Rounding::kTiesEven, doubled, 1), even[i]);
    EXPECT_EQ(shift_right(Rounding::kTiesAway, doubled, 1), away[i]);
    EXPECT_EQ(shift_right(Rounding::kTiesUp, doubled, 1), up[i]);
    EXPECT_EQ(shift_right(Rounding::kTowardZero, doubled, 1), zero[i]);
    EXPECT_EQ(shift_right(Rounding::kFloor, doubled, 1), floor[i]);
  }
}

TEST(Rounding, TheShortWayIsTheSameUpToItsLimit) {
  for (int eighths = -(1 << 16); eighths <= 1 << 16; ++eighths) {
    const float x = static_cast<float>(eighths) / 8;
    EXPECT_EQ(round_small_ties_even(x), round_ties_even(x)) << x;
  }
  EXPECT_EQ(round_small_ties_even(0.49999997F), 0);
  EXPECT_EQ(round_small_ties_even(-0.49999997F), 0);
  EXPECT_EQ(round_small_ties_even(4194303.5F), 4194304);
  EXPECT_EQ(round_small_ties_even(-4194304.0F), -4194304);
}

TEST(Rounding, JustBelowATieStaysBelow) {
  EXPECT_EQ(round_ties_even(0.49999997F), 0);  // 0.5 - 2^-25: adding 0.5 would give 1
  EXPECT_EQ(round_ties_away(0.49999997F), 0);
  EXPECT_EQ(round_ties_even(-1.5000001F), -2);
}

}  // namespace
}  // namespace octet
