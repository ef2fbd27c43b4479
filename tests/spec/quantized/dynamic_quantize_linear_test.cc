#include "octet/spec/quantized/dynamic_quantize_linear.h"

#include <limits>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

TEST(DynamicQuantizeLinear, SpansTheRangeWithZeroInside) {
  // [-1, 4]: scale 5/255, zero point 51.
  const auto y = apply_all("DynamicQuantizeLinear", {}, {f32({3}, {-1, 4, 0})}, 3);
  EXPECT_EQ(values<std::uint8_t>(y[0]), (Bytes{0, 255, 51}));
  EXPECT_EQ(y[1].as<float>()[0], 5.0F / 255.0F);
  EXPECT_EQ(y[1].rank(), 0);
  EXPECT_EQ(y[2].as<std::uint8_t>()[0], 51);
  EXPECT_EQ(y[2].rank(), 0);
}

TEST(DynamicQuantizeLinear, TakesZeroIntoTheRange) {
  const auto y = apply_all("DynamicQuantizeLinear", {}, {f32({2}, {2, 5.1F})}, 3);
  EXPECT_EQ(values<std::uint8_t>(y[0]), (Bytes{100, 255}));
  EXPECT_EQ(y[2].as<std::uint8_t>()[0], 0);
  EXPECT_EQ(apply_all("DynamicQuantizeLinear", {}, {f32({2}, {-2, -5.1F})}, 3)[2].as<std::uint8_t>()[0], 255);
}

TEST(DynamicQuantizeLinear, HasScaleOneForZerosAndForNothing) {
  for (const Tensor& x : {f32({2}, {0, -0.0F}), f32({0}, {})}) {
    const auto y = apply_all("DynamicQuantizeLinear", {}, {x}, 3);
    EXPECT_EQ(y[1].as<float>()[0], 1.0F);
    EXPECT_EQ(y[2].as<std::uint8_t>()[0], 0);
  }
}

// What ONNX Runtime 1.31.1 says of these.
TEST(DynamicQuantizeLinear, GoesOnWithInfinitiesAndUnderflow) {
  struct Example {
    std::vector<float> x;
    float scale;
    int zero_point;
    Bytes y;
  };
  const float inf = std::numeric_limits<float>::infinity(), least = std::numeric_limits<float>::denorm_min();
  for (const Example& e : {Example{{1, 2, -3, inf}, inf, 0, {0, 0, 0, 0}},
                           {{1, -inf, 2, 3}, inf, 255, {255, 0, 255, 255}},
                           {{inf, -inf, 1, 0}, inf, 255, {0, 0, 255, 255}},
                           {{3e38F, -3e38F}, inf, 0, {0, 0}},
                           {{least, 0}, 0, 255, {255, 0}},
                           {{-least, 0}, 0, 255, {0, 0}},
                           {{2e-43F, -2e-43F, 0}, least, 143, {255, 0, 143}}}) {
    const auto y = apply_all("DynamicQuantizeLinear", {}, {f32({std::ssize(e.x)}, e.x)}, 3);
    EXPECT_EQ(values<std::uint8_t>(y[0]), e.y);
    EXPECT_EQ(y[1].as<float>()[0], e.scale);
    EXPECT_EQ(y[2].int_at(0), e.zero_point);
  }
}

TEST(DynamicQuantizeLinear, LeavesNanOutOfTheRange) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& x : {std::vector<float>{nan, -1, 4, 0}, {-1, 4, 0, nan}}) {
    const auto y = apply_all("DynamicQuantizeLinear", {}, {f32({4}, x)}, 3);
    EXPECT_EQ(y[1].as<float>()[0], 5.0F / 255.0F);
    EXPECT_EQ(y[2].int_at(0), 51);
    EXPECT_EQ(y[0].int_at(x[0] == -1 ? 3 : 0), 0);
  }
  EXPECT_EQ(apply_all("DynamicQuantizeLinear", {}, {f32({2}, {nan, nan})}, 3)[1].as<float>()[0], 1.0F);
}

TEST(DynamicQuantizeLinear, RoundsTheZeroPointByTheRule) {
  // [-1.5, 253.5]: scale 1, zero point 1.5.
  const std::vector<Tensor> x = {f32({2}, {-1.5F, 253.5F})};
  EXPECT_EQ(apply_all("DynamicQuantizeLinear", {}, x, 3)[2].int_at(0), 2);
  EXPECT_EQ(apply_all("DynamicQuantizeLinear", {}, x, 3, {.rounding = Rounding::kTowardZero})[2].int_at(0), 1);
}

TEST(DynamicQuantizeLinear, ChecksItsConstraints) {
  EXPECT_EQ(refused("DynamicQuantizeLinear", {}, {i32({1}, {1})}), "dynamic_quantize_linear_c1");
}

}  // namespace
}  // namespace octet
