#include "octet/spec/quantized/qlinear_softmax.h"

#include <cmath>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

const AttributeList kOpset13 = {{"opset", 13L}};

std::vector<Tensor> softmax_inputs(Tensor x, float x_scale = 1, float y_scale = 1.0F / 256) {
  return {std::move(x), f32(x_scale), u8(0), f32(y_scale), u8(0)};
}

TEST(QLinearSoftmax, ComesToTheWholeRange) {
  // e^-1 / (1 + e^-1) = 0.26894 of 256 is 68.8.
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", kOpset13, softmax_inputs(u8({2}, {7, 8})))), (Bytes{69, 187}));
}

TEST(QLinearSoftmax, IgnoresTheZeroPointOfX) {
  const Tensor x = u8({2}, {7, 8});
  EXPECT_TRUE(apply("QLinearSoftmax", kOpset13, with(softmax_inputs(x), 2, u8(200)))
                  .identical(apply("QLinearSoftmax", kOpset13, softmax_inputs(x))));
}

TEST(QLinearSoftmax, RoundsTheReciprocalOfTheScaleDown) {
  // floor(1 / 0.2) = 5 (the float32 nearest to 0.2 is above it, and 1 / it rounds to 5); floor(1 / f32(1/255)) = 254.
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", kOpset13, softmax_inputs(u8({2}, {3, 3}), 1, 1.0F / 255))),
            (Bytes{127, 127}));
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", kOpset13, softmax_inputs(u8({1}, {3}), 1, 1.0F / 255))),
            (Bytes{0}));  // 254 > e^5: overflows, see below
}

TEST(QLinearSoftmax, OverflowsInShortRows) {
  const AttributeList attributes = kOpset13;
  const auto single = [&](Tensor x, Tensor zero) {
    return apply("QLinearSoftmax", attributes, {std::move(x), f32(1), zero, f32(1.0F / 256), zero}).int_at(0);
  };
  EXPECT_EQ(single(u8({1}, {9}), u8(7)), 7);
  EXPECT_EQ(single(s8({1}, {9}), s8(7)), -128);
  EXPECT_EQ(single(s8({1}, {9}), s8(-7)), 127);
}

TEST(QLinearSoftmax, RunsAlongTheAxisOrOverAllThatFollow) {
  const Tensor x = u8({2, 2}, {0, 10, 0, 10});
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", {{"opset", 13L}, {"axis", 0L}}, softmax_inputs(x))),
            (Bytes{128, 128, 128, 128}));
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", {{"opset", 12L}, {"axis", 0L}}, softmax_inputs(x))),
            (Bytes{0, 128, 0, 128}));
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearSoftmax", {{"opset", 12L}}, softmax_inputs(x))),
            (Bytes{0, 255, 0, 255}));
}

TEST(QLinearSoftmax, EqualsTheExactFunctionOnEveryByte) {
  const Tensor y = apply("QLinearSoftmax", kOpset13, {every_s8(), f32(0.0625F), s8(0), f32(0.00390625F), s8(-128)});
  long double sum = 0;
  for (int q = 0; q < 256; ++q) sum += std::exp(static_cast<long double>(q - 255) / 16);
  for (int q = 0; q < 256; ++q)
    EXPECT_EQ(y.int_at(q), std::llround(256 * std::exp(static_cast<long double>(q - 255) / 16) / sum) - 128) << q;
}

TEST(QLinearSoftmax, FollowsTheSwitches) {
  // Two equal numbers at K = 5: 2.5 each.
  const std::vector<Tensor> equal = {u8({2}, {3, 3}), f32(1), u8(0), f32(0.2F), u8(1)};
  const auto softmax = [&](const Arithmetic& arithmetic) {
    return apply("QLinearSoftmax", kOpset13, equal, arithmetic).int_at(0);
  };
  EXPECT_EQ(softmax({}), 3);
  EXPECT_EQ(softmax({.zero_point = ZeroPoint::kBeforeRounding}), 4);
  EXPECT_EQ(softmax({.rounding = Rounding::kTiesAway}), 4);
}

TEST(QLinearSoftmax, ChecksItsConstraints) {
  const Tensor x = u8({2}, {1, 2});
  EXPECT_EQ(refused("QLinearSoftmax", kOpset13, with(softmax_inputs(x), 0, f32({2}, {1, 2}))), "qlinear_softmax_c1");
  EXPECT_EQ(refused("QLinearSoftmax", kOpset13, with(softmax_inputs(x), 4, s8(0))), "qlinear_softmax_c1");
  EXPECT_EQ(refused("QLinearSoftmax", kOpset13, with(softmax_inputs(x), 1, f32({2}, {1, 2}))), "qlinear_softmax_c2");
  EXPECT_EQ(refused("QLinearSoftmax", {}, softmax_inputs(x)), "qlinear_softmax_c3");
  EXPECT_EQ(refused("QLinearSoftmax", {{"opset", 13L}, {"axis", 1L}}, softmax_inputs(x)), "qlinear_softmax_c3");
}

}  // namespace
}  // namespace octet
