#include "octet/base/dtype.h"

#include <gtest/gtest.h>

#include <cmath>

namespace octet {
namespace {

TEST(Float16, EveryPatternSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits < 65536; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(to_float16(wide))));
    } else {
      EXPECT_EQ(to_float16(wide).bits, half.bits) << bits;
    }
  }
}

TEST(Float16, RoundsTiesToEvenAndOverflowsToInfinity) {
  EXPECT_EQ(to_float16(2049.0F).bits, to_float16(2048.0F).bits);  // halfway between 2048 and 2050
  EXPECT_EQ(to_float16(2051.0F).bits, to_float16(2052.0F).bits);
  EXPECT_EQ(to_float16(65519.0F).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e30F).bits, 0xfc00);
  EXPECT_EQ(to_float16(std::ldexp(1.0F, -25)).bits, 0);  // halfway to the smallest subnormal
  EXPECT_EQ(to_float16(std::ldexp(1.5F, -25)).bits, 1);
}

TEST(Float16, FromDoubleRoundsOnce) {
  // Through float32 this would become an exact tie and round to even, downward.
  EXPECT_EQ(to_float16(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).bits, 0x3c01);
}

TEST(BFloat16, EveryPatternSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits < 65536; ++bits) {
    const BFloat16 half{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(to_bfloat16(wide))));
    } else {
      EXPECT_EQ(to_bfloat16(wide).bits, half.bits) << bits;
    }
  }
}

TEST(IntegerRange, CoversEachWidth) {
  EXPECT_EQ(integer_range(DType::kInt4).min, -8);
  EXPECT_EQ(integer_range(DType::kUint2).max, 3);
  EXPECT_EQ(integer_range(DType::kInt8).max, 127);
  EXPECT_EQ(integer_range(DType::kInt32).min, -2147483648LL);
  EXPECT_EQ(integer_range(DType::kUint32).max, 4294967295LL);
}

}  // namespace
}  // namespace octet
