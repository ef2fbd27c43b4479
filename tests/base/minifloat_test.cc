#include "octet/base/minifloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace octet {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr float kQuietNan = std::numeric_limits<float>::quiet_NaN();
constexpr MinifloatRounding kUnsaturated = {.saturate = false};

float number_of(DType dtype, std::size_t code) { return minifloat_values(dtype)[code]; }
int code_of(double number, DType dtype, const MinifloatRounding& rounding = {}) {
  return minifloat_code(number, dtype, rounding);
}

TEST(Minifloat, HasTheNumbersOfItsFormat) {
  EXPECT_EQ(number_of(DType::kFloat8E4M3FN, 0x7E), 448);
  EXPECT_EQ(number_of(DType::kFloat8E4M3FN, 0x01), 0x1p-9F);
  EXPECT_EQ(number_of(DType::kFloat8E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(number_of(DType::kFloat8E4M3FNUZ, 0x01), 0x1p-10F);
  EXPECT_EQ(number_of(DType::kFloat8E5M2, 0x7B), 57344);
  EXPECT_EQ(number_of(DType::kFloat8E5M2, 0xFC), -kFloatInfinity);
  EXPECT_EQ(number_of(DType::kFloat8E5M2FNUZ, 0xFF), -57344);
  EXPECT_EQ(number_of(DType::kFloat8E5M2FNUZ, 0x01), 0x1p-17F);
  EXPECT_EQ(number_of(DType::kFloat8E8M0, 0x00), 0x1p-127F);
  EXPECT_EQ(number_of(DType::kFloat8E8M0, 0xFE), 0x1p127F);
  const std::vector<float> e2m1(minifloat_values(DType::kFloat4E2M1).begin(),
                                minifloat_values(DType::kFloat4E2M1).end());
  EXPECT_EQ(e2m1, (std::vector<float>{0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6}));
  for (const DType dtype : {DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2FNUZ}) {
    EXPECT_TRUE(std::isnan(number_of(dtype, 0x80)));
    EXPECT_FALSE(std::isnan(number_of(dtype, 0x7F)));
  }
  for (const std::size_t nan : {0x7DU, 0x7EU, 0x7FU, 0xFDU})
    EXPECT_TRUE(std::isnan(number_of(DType::kFloat8E5M2, nan)));
}

TEST(Minifloat, EveryCodeComesBack) {
  for (const DType dtype : {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ,
                            DType::kFloat4E2M1, DType::kFloat8E8M0})
    for (std::size_t k = 0; k < minifloat_values(dtype).size(); ++k) {
      const float number = number_of(dtype, k);
      if (std::isnan(number))
        EXPECT_TRUE(std::isnan(number_of(dtype, minifloat_code(number, dtype)))) << name(dtype) << k;
      else
        EXPECT_EQ(code_of(number, dtype, kUnsaturated), static_cast<int>(k)) << name(dtype);
    }
}

TEST(Minifloat, TiesGoToTheEvenCode) {
  for (const DType dtype :
       {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ, DType::kFloat4E2M1})
    for (std::size_t k = 0; k + 1 < minifloat_values(dtype).size() / 2; ++k) {
      const float low = number_of(dtype, k), high = number_of(dtype, k + 1);
      if (!std::isfinite(high)) continue;
      const float middle = (low + high) / 2;
      EXPECT_EQ(code_of(middle, dtype), static_cast<int>(k % 2 == 0 ? k : k + 1)) << name(dtype) << middle;
      EXPECT_EQ(code_of(std::nextafter(middle, 0.0F), dtype), static_cast<int>(k));
      EXPECT_EQ(code_of(std::nextafter(middle, kFloatInfinity), dtype), static_cast<int>(k + 1));
    }
}

TEST(Minifloat, OverflowSaturatesOrIsSpecial) {
  EXPECT_EQ(code_of(1e9, DType::kFloat8E4M3FN), 0x7E);
  EXPECT_EQ(code_of(-kFloatInfinity, DType::kFloat8E4M3FN), 0xFE);
  EXPECT_EQ(code_of(464, DType::kFloat8E4M3FN, kUnsaturated), 0x7E);  // the tie with what would be 480
  EXPECT_EQ(code_of(465, DType::kFloat8E4M3FN, kUnsaturated), 0x7F);
  EXPECT_EQ(code_of(-465, DType::kFloat8E4M3FN, kUnsaturated), 0xFF);
  EXPECT_EQ(code_of(248, DType::kFloat8E4M3FNUZ, kUnsaturated), 0x80);
  EXPECT_EQ(code_of(61440, DType::kFloat8E5M2, kUnsaturated), 0x7C);
  EXPECT_EQ(code_of(61439, DType::kFloat8E5M2, kUnsaturated), 0x7B);
  EXPECT_EQ(code_of(kFloatInfinity, DType::kFloat8E5M2), 0x7B);
  EXPECT_EQ(code_of(-kFloatInfinity, DType::kFloat8E5M2FNUZ, kUnsaturated), 0x80);
  EXPECT_EQ(code_of(-kFloatInfinity, DType::kFloat4E2M1, kUnsaturated), 0x0F);
}

TEST(Minifloat, KeepsTheSignOfZeroWhereItCan) {
  EXPECT_EQ(code_of(-0.0, DType::kFloat8E4M3FN), 0x80);
  EXPECT_EQ(code_of(-1e-9, DType::kFloat8E5M2), 0x80);
  EXPECT_EQ(code_of(-0.0, DType::kFloat8E4M3FNUZ), 0);
  EXPECT_EQ(code_of(-1e-9, DType::kFloat8E5M2FNUZ), 0);
  EXPECT_EQ(code_of(-0.25, DType::kFloat4E2M1), 0x08);
  EXPECT_EQ(code_of(-kQuietNan, DType::kFloat8E4M3FN), 0xFF);
}

TEST(Minifloat, PowersOfTwoEndAtBothEnds) {
  const auto power = [](double number, bool saturate, PowerRounding powers) {
    return code_of(number, DType::kFloat8E8M0, {saturate, powers});
  };
  for (const PowerRounding powers : {PowerRounding::kUp, PowerRounding::kDown, PowerRounding::kNearest}) {
    EXPECT_EQ(power(0, true, powers), 0);
    EXPECT_EQ(power(-3, true, powers), 0);
    EXPECT_EQ(power(kFloatInfinity, true, powers), 0xFE);
    EXPECT_EQ(power(std::numeric_limits<float>::max(), true, powers), 0xFE);
    for (const double number : {0.0, -3.0, 1e-45, static_cast<double>(kFloatInfinity), static_cast<double>(kQuietNan)})
      EXPECT_EQ(power(number, false, powers), 0xFF) << number;
    EXPECT_EQ(power(kQuietNan, true, powers), 0xFF);
  }
  EXPECT_EQ(power(0x1p-127 * 1.25, true, PowerRounding::kUp), 1);
}

}  // namespace
}  // namespace octet
