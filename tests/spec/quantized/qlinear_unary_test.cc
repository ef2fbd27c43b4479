// Operators of one 8-bit input, on all 256 of its values.
#include <cmath>

#include "octet/spec/quantized/qlinear_leaky_relu.h"
#include "octet/spec/quantized/qlinear_sigmoid.h"
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::int64_t saturated(std::int64_t q, const IntegerRange& range) { return std::clamp(q, range.min, range.max); }

// n / 4 to the nearest integer, ties to even: for scales that are powers of two, where float32 is exact.
std::int64_t quarter_ties_even(std::int64_t n) {
  const std::int64_t below = n >= 0 ? n / 4 : -((3 - n) / 4), rest = n - 4 * below;
  return rest > 2 || (rest == 2 && below % 2 != 0) ? below + 1 : below;
}

TEST(QLinearLeakyRelu, IsExactOnEveryByte) {
  // x_scale 1/2, alpha 1/2, y_scale 1: v = (x - 100) / 2, and half of it below 0.
  const Tensor y = apply("QLinearLeakyRelu", {{"alpha", 0.5F}}, {every_u8(), f32(0.5F), u8(100), f32(1), u8(31)});
  for (int x = 0; x < 256; ++x) {
    const int quarters = x >= 100 ? 2 * (x - 100) : x - 100;
    EXPECT_EQ(y.int_at(x), saturated(quarter_ties_even(quarters) + 31, kUint8)) << x;
  }
}

TEST(QLinearLeakyRelu, HasTheStandardsAlpha) {
  const Tensor y = apply("QLinearLeakyRelu", {}, {s8({2}, {-100, 100}), f32(1), s8(0), f32(1), s8(0)});
  EXPECT_EQ(values<std::int8_t>(y), (SignedBytes{-1, 100}));
}

TEST(QLinearLeakyRelu, FollowsTheSwitchesOfItsTable) {
  const auto relu = [](const Arithmetic& arithmetic) {
    return apply("QLinearLeakyRelu", {}, {s8({1}, {5}), f32(0.5F), s8(0), f32(1), s8(1)}, arithmetic).int_at(0);
  };
  EXPECT_EQ(relu({}), 3);
  EXPECT_EQ(relu({.zero_point = ZeroPoint::kBeforeRounding}), 4);
  EXPECT_EQ(relu({.rounding = Rounding::kTiesUp}), 4);
}

TEST(QLinearSigmoid, EqualsTheExactFunctionOnEveryByte) {
  // None of these 512 lies close enough to a tie for the rational approximation to matter.
  for (const bool is_signed : {false, true}) {
    const Tensor x = is_signed ? every_s8() : every_u8();
    const int zero = is_signed ? -3 : 125, y_zero = is_signed ? -128 : 0;
    const Tensor y = apply(
        "QLinearSigmoid", {},
        {x, f32(0.0625F), is_signed ? s8(zero) : u8(zero), f32(0.00390625F), is_signed ? s8(y_zero) : u8(y_zero)});
    for (std::int64_t k = 0; k < 256; ++k) {
      const long double v = static_cast<long double>(x.int_at(k) - zero) / 16;
      const auto steps = std::llround(256 / (1 + std::exp(-v)));
      EXPECT_EQ(y.int_at(k), saturated(steps + y_zero, is_signed ? kInt8 : kUint8)) << x.int_at(k);
    }
  }
}

TEST(QLinearSigmoid, FollowsTheSwitchesOfItsTable) {
  // sigmoid(0) is 1/2: at a scale of 1/5 that is 2.5.
  const auto sigmoid = [](const Arithmetic& arithmetic) {
    return apply("QLinearSigmoid", {}, {s8({1}, {0}), f32(1), s8(0), f32(0.2F), s8(1)}, arithmetic).int_at(0);
  };
  EXPECT_EQ(sigmoid({}), 3);
  EXPECT_EQ(sigmoid({.zero_point = ZeroPoint::kBeforeRounding}), 4);
  EXPECT_EQ(sigmoid({.rounding = Rounding::kTiesAway}), 4);
}

TEST(LookupTable, RescalesThroughRealNumbersNotThroughTheRatio) {
  // 3 * 0.1 / 0.2 in float32 is 1.5000001; the ratio 0.1 / 0.2 is 0.5, and 1.5 a tie.
  const LookupTable table = rescaling_table(DType::kUint8, {0.1F, 0}, {0.2F, 0}, {});
  EXPECT_EQ(table[1], 0);
  EXPECT_EQ(table[3], 2);
  EXPECT_EQ(table[5], 2);
  EXPECT_EQ(table[255], 128);
}

TEST(LookupTable, CopiesWhereNothingChanges) {
  // A scale so small that the way through real numbers would lose everything.
  const LookupTable table = rescaling_table(DType::kInt8, {1e-45F, 3}, {1e-45F, 3}, {});
  for (std::size_t k = 0; k < 256; ++k) EXPECT_EQ(table[k], k);
}

TEST(QLinearUnary, ChecksItsConstraints) {
  for (const auto& [op, label] : std::vector<std::pair<std::string, std::string>>{
           {"QLinearLeakyRelu", "qlinear_leaky_relu"}, {"QLinearSigmoid", "qlinear_sigmoid"}}) {
    const std::vector<Tensor> inputs = {u8({2}, {1, 2}), f32(1), u8(0), f32(1), u8(0)};
    EXPECT_EQ(refused(op, {}, inputs), "");
    EXPECT_EQ(refused(op, {}, with(inputs, 0, f32({2}, {1, 2}))), label + "_c1");
    EXPECT_EQ(refused(op, {}, with(inputs, 1, u8(1))), label + "_c1");
    EXPECT_EQ(refused(op, {}, with(inputs, 4, s8(1))), label + "_c1");
    EXPECT_EQ(refused(op, {}, with(inputs, 3, f32({2}, {1, 2}))), label + "_c2");
    EXPECT_EQ(refused(op, {}, with(inputs, 2, u8({2}, {1, 2}))), label + "_c2");
  }
}

}  // namespace
}  // namespace octet
