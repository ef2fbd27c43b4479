#include "octet/quantize/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

namespace octet {
namespace {

TEST(Choose, SpreadsTheRangeOverTheType) {
  const auto [scale, zero_point] = choose({-1, 3}, {DType::kUint8});
  EXPECT_EQ(scale, static_cast<float>(4.0 / 255.0));
  EXPECT_EQ(zero_point, 64);  // 0 + 1 / (4/255) = 63.75
}

TEST(Choose, WidensTheRangeToZero) {
  EXPECT_EQ(choose({2, 5}, {DType::kInt8}).zero_point, -128);
  EXPECT_EQ(choose({2, 5}, {DType::kInt8}).scale, static_cast<float>(5.0 / 255.0));
  EXPECT_EQ(choose({-5, -2}, {DType::kInt8}).zero_point, 127);
}

TEST(Choose, SymmetricPutsZeroInTheMiddle) {
  const auto s8 = choose({-1, 2}, {DType::kInt8, true});
  EXPECT_EQ(s8.scale, static_cast<float>(4.0 / 254.0));
  EXPECT_EQ(s8.zero_point, 0);
  const auto u8 = choose({-1, 2}, {DType::kUint8, true});
  EXPECT_EQ(u8.scale, static_cast<float>(4.0 / 255.0));
  EXPECT_EQ(u8.zero_point, 128);  // 127.5, ties to even
}

TEST(Choose, GivesATensorOfZerosTheScaleOne) {
  EXPECT_EQ(choose({0, 0}, {DType::kInt8}).scale, 1.0F);
  EXPECT_EQ(choose({0, 0}, {DType::kInt8}).zero_point, 0);
  EXPECT_EQ(choose({0, 1e-38F}, {DType::kInt8}).scale, 1.0F);  // 1e-38 / 255 is no normal float32
}

TEST(Choose, PowerOfTwoIsTheNextAbove) {
  const Encoding encoding{DType::kInt8, true, false, ScaleForm::kPowerOfTwo};
  EXPECT_EQ(choose({-127, 127}, encoding).scale, 1.0F);
  EXPECT_EQ(choose({-128, 128}, encoding).scale, 2.0F);
  EXPECT_EQ(choose({-1, 1}, encoding).scale, 0.0078125F * 2);  // 1/127 lies above 2^-7 = 1/128
}

TEST(Choose, RestrictedKnowsTheMiddleAndTheMinimumOnly) {
  const auto encode = [](Range range, DType dtype) {
    return choose(range, {dtype, false, false, ScaleForm::kReal, ZeroPointForm::kRestricted});
  };
  EXPECT_EQ(encode({0, 4}, DType::kUint8).zero_point, 0);
  EXPECT_EQ(encode({0, 4}, DType::kUint8).scale, static_cast<float>(4.0 / 255.0));
  EXPECT_EQ(encode({-1, 4}, DType::kUint8).zero_point, 128);
  EXPECT_EQ(encode({-1, 4}, DType::kUint8).scale, static_cast<float>(8.0 / 254.0));  // 4 must fit above 128
  EXPECT_EQ(encode({-4, 1}, DType::kUint8).scale, static_cast<float>(4.0 / 128.0));  // and -4 below it
  EXPECT_EQ(encode({0, 4}, DType::kInt8).zero_point, 0);
  EXPECT_EQ(encode({0, 4}, DType::kInt8).scale, static_cast<float>(8.0 / 254.0));
}

TEST(UsedIntegers, KnowsReducedAndSymmetricRanges) {
  EXPECT_EQ(used_integers({DType::kInt8, true}).min, -127);
  EXPECT_EQ(used_integers({DType::kInt8, false}).min, -128);
  EXPECT_EQ(used_integers({DType::kInt8, true, true}).min, -64);
  EXPECT_EQ(used_integers({DType::kInt8, true, true}).max, 64);
  EXPECT_EQ(used_integers({DType::kUint8, false, true}).max, 127);
  EXPECT_EQ(used_integers({DType::kUint16, false}).max, 65535);
}

}  // namespace
}  // namespace octet
