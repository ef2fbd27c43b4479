// Expected texts come from Python's fractions and decimal.
#include "octet/analyze/support/exact.h"

#include <gtest/gtest.h>

#include <limits>

namespace octet {
namespace {

TEST(Natural, DividesNumbersWiderThanItsLimbs) {
  const Natural a = (Natural(0x123456789ABCDEF0) << 100) + Natural(12345);
  const auto [quotient, rest] = divide(a, (Natural(1) << 70) + Natural(3));
  EXPECT_EQ(quotient * ((Natural(1) << 70) + Natural(3)) + rest, a);
  EXPECT_LT(rest, (Natural(1) << 70) + Natural(3));
  EXPECT_EQ((Natural(1) << 128).decimal(), "340282366920938463463374607431768211456");
}

TEST(Exact, IsTheQuotientOfFloatsInLowestTerms) {
  const Exact value = Exact(.1F) * Exact(.2F) / Exact(.3F);
  EXPECT_EQ(value.fraction(), "180143990463529 / 5033165 * 2^-29");
  EXPECT_EQ(value.decimal(), "0.066666666004392876…");
}

TEST(Exact, SolvesThePuzzleOfQLinearAdd) {
  const Exact a = Exact(.025346905F) * Exact(-114 + 106), b = Exact(.03580992F) * Exact(-122 + 120);
  const Exact c = (a + b) / Exact(.036585972F) + Exact(-105);
  EXPECT_EQ(c.fraction(), "-276214857 / 2455243");
  EXPECT_EQ(c.decimal(10), "-112.5000079…");
  EXPECT_EQ(c.rounded(Rounding::kTiesEven), -113);
}

TEST(Exact, HoldsTheEndsOfFloat32) {
  EXPECT_EQ((Exact(1e-45F) / Exact(3e38F)).fraction(), "1 / 7395571 * 2^-254");
  EXPECT_EQ((Exact(1e-45F) / Exact(3e38F)).decimal(), "4.6709948725227272…e-84");
  EXPECT_EQ((Exact(.1F) * Exact(-3e30F)).decimal(30), "-2.99999993873015321021873389568e+29");
  EXPECT_EQ((Exact(1e-40F) - Exact(2.5e38F)).fraction(),
            "-89202983369929752100847226863112920948739304626838852600205017907344053506976740511 * 2^-148");
}

TEST(Exact, WritesDecimals) {
  EXPECT_EQ(Exact(0).decimal(), "0");
  EXPECT_EQ(Exact(-1200).decimal(), "-1200");
  EXPECT_EQ(Exact(1234).decimal(2), "1200…");
  EXPECT_EQ(Exact(0.1).decimal(60), "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ((Exact(-22) / Exact(7)).decimal(5), "-3.1428…");
  EXPECT_EQ((Exact(-22) / Exact(7)).fraction(), "-11 / 7 * 2^1");
  EXPECT_EQ(Exact(std::numeric_limits<std::int64_t>::min()).decimal(19), "-9223372036854775808");
}

TEST(Exact, RoundsLikeTheRulesOfTheSpec) {
  for (int eighths = -40; eighths <= 40; ++eighths)
    for (const Rounding rule :
         {Rounding::kTiesEven, Rounding::kTiesAway, Rounding::kTiesUp, Rounding::kTowardZero, Rounding::kFloor}) {
      EXPECT_EQ((Exact(eighths) / Exact(8)).rounded(rule), round_by(rule, eighths / 8.0)) << eighths << "/8";
    }
}

TEST(Exact, StaysNoNumber) {
  const Exact none = Exact(1) / Exact(0);
  EXPECT_FALSE(none.is_number());
  EXPECT_FALSE((none + Exact(1)).is_number());
  EXPECT_FALSE((Exact(0) * none).is_number());
  EXPECT_FALSE(Exact(std::numeric_limits<float>::infinity()).is_number());
  EXPECT_FALSE(Exact(std::numeric_limits<double>::quiet_NaN()).is_number());
  EXPECT_FALSE(none.rounded(Rounding::kTiesEven));
  EXPECT_FALSE(exact_value(none));
  EXPECT_EQ(none.fraction(), "");
}

}  // namespace
}  // namespace octet
