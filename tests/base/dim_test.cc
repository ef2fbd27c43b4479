#include "octet/base/dim.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/base/error.h"

namespace octet {
namespace {

const Dim kN = Dim::symbol("N");
const Dim kUnknown;

TEST(Dim, ComputesWhatIsKnown) {
  EXPECT_EQ(Dim(2) + 3, Dim(5));
  EXPECT_EQ(Dim(2) - 3, Dim(-1));
  EXPECT_EQ(Dim(2) * 3, Dim(6));
  EXPECT_EQ(floor_divide(-7, 2), Dim(-4));
  EXPECT_EQ(ceil_divide(-7, 2), Dim(-3));
  EXPECT_EQ(ceil_divide(7, 2), Dim(4));
}

TEST(Dim, KeepsSymbolsThroughNeutralOperations) {
  EXPECT_EQ(kN + 0, kN);
  EXPECT_EQ(kN - 0, kN);
  EXPECT_EQ(Dim(1) * kN, kN);
  EXPECT_EQ(floor_divide(kN, 1), kN);
  EXPECT_EQ(kN * 0, Dim(0));
}

TEST(Dim, ForgetsWhatItCannotSay) {
  EXPECT_EQ(kN + 1, kUnknown);
  EXPECT_EQ(kN * kN, kUnknown);
  EXPECT_EQ(ceil_divide(kN, 2), kUnknown);
}

TEST(Dim, RefusesOverflowAndDivisionByZero) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(Dim(max) + 1, Error);
  EXPECT_THROW(Dim(max) * 2, Error);
  EXPECT_THROW(Dim(-max) - 2, Error);
  EXPECT_THROW(floor_divide(4, 0), Error);
}

TEST(Dim, IsSureOnlyOfWhatItKnows) {
  EXPECT_TRUE(surely_equal(kN, Dim::symbol("N")));
  EXPECT_FALSE(surely_equal(kUnknown, kUnknown));
  EXPECT_FALSE(surely_different(kN, Dim::symbol("M")));
  EXPECT_TRUE(surely_different(2, 3));
}

TEST(SymbolicShape, Broadcasts) {
  EXPECT_EQ(broadcast(SymbolicShape{kN, 1}, SymbolicShape{3}), (SymbolicShape{kN, 3}));
  EXPECT_EQ(broadcast(SymbolicShape{kN}, SymbolicShape{3}), (SymbolicShape{3}));
  EXPECT_EQ(broadcast(SymbolicShape{kN}, SymbolicShape{Dim::symbol("M")}), (SymbolicShape{kUnknown}));
  EXPECT_EQ(broadcast(SymbolicShape{kN}, SymbolicShape{1}), (SymbolicShape{kN}));
  EXPECT_EQ(broadcast(SymbolicShape{2}, SymbolicShape{3}), std::nullopt);
}

TEST(SymbolicShape, IsConcreteWhenEveryDimensionIsKnown) {
  EXPECT_EQ(concrete({2, 3}), (Shape{2, 3}));
  EXPECT_EQ(concrete({2, kN}), std::nullopt);
  EXPECT_EQ(to_string(SymbolicShape{kN, 3, kUnknown}), "[N,3,?]");
}

}  // namespace
}  // namespace octet
