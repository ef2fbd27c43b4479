#include "octet/spec/quantized/qlinear_mul.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

TEST(QLinearMul, AddsTheZeroPointBeforeRounding) {
  const auto product = [](const Arithmetic& arithmetic) {
    return qlinear_mul({0.5F, 0}, {1, 0}, {1, 1}, kInt8, arithmetic)(5, 1);  // 2.5, + 1
  };
  EXPECT_EQ(product({}), 4);
  EXPECT_EQ(product({.zero_point = ZeroPoint::kAfterRounding}), 3);
  EXPECT_EQ(product({.rounding = Rounding::kFloor}), 3);
  EXPECT_EQ(product({.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle}), 4);
}

TEST(QLinearMul, RoundsTheProductBeforeItAddsTheZeroPoint) {
  // 4920 * 0.015345528 is 75.499997 exactly, 75.5 in float32, and - 108 a tie; fused it would be -32.500004, so -33.
  EXPECT_EQ(qlinear_mul({0.015345528F, 0}, {1, 0}, {1, -108}, kInt8, {})(120, 41), -32);
  EXPECT_EQ(qlinear_mul({0.015345528F, 0}, {1, 0}, {1, -108}, kInt8, {.product = Product::kFloat64})(120, 41), -33);
}

TEST(QLinearMul, IsExactOnAllPairsOfBytes) {
  // Scales that are powers of two: p / 64, plus the zero point.
  const auto multiply = qlinear_mul({0.25F, 100}, {0.125F, 7}, {2, 129}, kUint8, {});
  int differing = 0;
  for (int x = 0; x < 256; ++x)
    for (int y = 0; y < 256; ++y) {
      const int sixty_fourths = (x - 100) * (y - 7) + 64 * 129;
      const int below = sixty_fourths >= 0 ? sixty_fourths / 64 : -((63 - sixty_fourths) / 64);
      const int rest = sixty_fourths - 64 * below;
      const int rounded = rest > 32 || (rest == 32 && below % 2 != 0) ? below + 1 : below;
      if (multiply(x, y) != std::clamp(rounded, 0, 255)) ++differing;
    }
  EXPECT_EQ(differing, 0);
}

TEST(QLinearMul, ConvertsBeforeItSaturates) {
  const auto product = [](const Arithmetic& arithmetic) {
    return qlinear_mul({1, 0}, {1, 0}, {1e-10F, 0}, kUint8, arithmetic)(1, 1);
  };
  EXPECT_EQ(product({}), 0);
  EXPECT_EQ(product({.product = Product::kFloat64}), 255);
}

TEST(QLinearMul, Broadcasts) {
  const Tensor a = u8({2, 1}, {1, 2}), b = u8({3}, {1, 2, 3});
  const Tensor c = apply("QLinearMul", {}, {a, f32(1), u8(0), b, f32(1), u8(0), f32(1), u8(0)});
  EXPECT_EQ(c.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<std::uint8_t>(c), (Bytes{1, 2, 3, 2, 4, 6}));
}

TEST(QLinearMul, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({2}, {1, 2}), f32(1), u8(0), u8({2}, {1, 2}), f32(1), u8(0), f32(1), u8(0)};
  EXPECT_EQ(refused("QLinearMul", {}, inputs), "");
  EXPECT_EQ(refused("QLinearMul", {}, with(inputs, 0, f32({2}, {1, 2}))), "qlinear_mul_c1");
  EXPECT_EQ(refused("QLinearMul", {}, with(inputs, 4, u8(1))), "qlinear_mul_c1");
  EXPECT_EQ(refused("QLinearMul", {}, with(inputs, 5, u8({2}, {1, 2}))), "qlinear_mul_c2");
  EXPECT_EQ(refused("QLinearMul", {}, with(inputs, 3, u8({3}, {1, 2, 3}))), "qlinear_mul_c3");
}

}  // namespace
}  // namespace octet
