#include "octet/spec/fraction_interval.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(FractionInterval, HoldsItsEndsOnlyWhereTheyAreClosed) {
  FractionInterval half;
  EXPECT_TRUE(half.raise(1, 2, true));
  EXPECT_TRUE(half.lower(1, 2, true));
  EXPECT_FALSE(half.empty());
  EXPECT_FALSE(multiplier_at(half, 0));
  EXPECT_EQ(multiplier_at(half, 1), 1);
  EXPECT_EQ(multiplier_at(half, 4), 8);
  EXPECT_TRUE(half.lower(1, 2, false));
  EXPECT_TRUE(half.empty());
  EXPECT_FALSE(multiplier_at(half, 1));
}

TEST(FractionInterval, TakesTheNarrowerEnd) {
  FractionInterval some;
  EXPECT_TRUE(some.raise(1, 3, false));
  EXPECT_FALSE(some.raise(2, 7, true));
  EXPECT_FALSE(some.raise(2, 6, true));  // open already
  EXPECT_TRUE(some.lower(3, 4, true));
  EXPECT_FALSE(some.lower(4, 5, false));
  EXPECT_EQ(multiplier_at(some, 0), std::nullopt);
  EXPECT_EQ(multiplier_at(some, 1), 1);
  EXPECT_EQ(multiplier_at(some, 2), 2);  // not 1, which is below a third
  EXPECT_TRUE(some.lower(1, 3, true));
  EXPECT_TRUE(some.empty());
}

TEST(FractionInterval, BeginsAtZeroAndMayHaveNoEnd) {
  FractionInterval all;
  EXPECT_EQ(multiplier_at(all, 5), 0);
  all.raise(-3, 4, false);
  EXPECT_EQ(multiplier_at(all, 5), 0);
  all.raise(0, 1, false);
  EXPECT_EQ(multiplier_at(all, 5), 1);
  all.impossible = true;
  EXPECT_TRUE(all.empty());
}

TEST(FractionInterval, HasItsNarrowestMultiplierAtTheSmallestShift) {
  FractionInterval some;
  some.raise(2, 7, false);
  some.lower(1, 3, false);
  const std::optional<FixedMultiplier> found = narrowest_multiplier(some);  // 5/16 = 0.3125; none of eighths
  ASSERT_TRUE(found);
  EXPECT_EQ(found->m, 5);
  EXPECT_EQ(found->shift, 4);
  EXPECT_EQ(found->bits(), 3);
  EXPECT_TRUE(narrowest_multiplier(some, 3));
  EXPECT_FALSE(narrowest_multiplier(some, 2));
}

}  // namespace
}  // namespace octet
