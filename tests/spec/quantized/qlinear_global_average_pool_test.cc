#include "octet/spec/quantized/qlinear_global_average_pool.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor global_pool(const AttributeList& attributes, const Tensor& x, int y_zero_point,
                   const Arithmetic& arithmetic = {}) {
  return apply("QLinearGlobalAveragePool", attributes, {x, f32(1), u8(10), f32(1), u8(y_zero_point)}, arithmetic);
}

TEST(QLinearGlobalAveragePool, AddsTheZeroPointAfterRounding) {
  const Tensor x = u8({1, 2, 2}, {12, 13, 20, 24});  // 2.5, 12 above the zero point
  EXPECT_EQ(values<std::uint8_t>(global_pool({}, x, 1)), (Bytes{3, 13}));
  EXPECT_EQ(values<std::uint8_t>(global_pool({}, x, 1, {.zero_point = ZeroPoint::kBeforeRounding})), (Bytes{4, 13}));
  EXPECT_EQ(values<std::uint8_t>(global_pool({}, x, 1, {.rounding = Rounding::kTiesAway})), (Bytes{4, 13}));
}

TEST(QLinearGlobalAveragePool, DividesByTheScaledNumberOfPixels) {
  EXPECT_EQ(average_multiplier(0.1F, 0.3F, 7), 0.1F / (0.3F * 7.0F));
}

TEST(QLinearGlobalAveragePool, ReadsChannelsLastAsWell) {
  const Tensor y = global_pool({{"channels_last", 1L}}, u8({2, 2, 1, 2}, {12, 20, 14, 22, 30, 40, 32, 44}), 0);
  EXPECT_EQ(y.shape(), (Shape{2, 1, 1, 2}));
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{3, 11, 21, 32}));
}

TEST(QLinearGlobalAveragePool, AccumulatesInTheWidthAskedFor) {
  const Tensor x = u8({1, 1, 2}, {110, 110});
  EXPECT_EQ(values<std::uint8_t>(global_pool({}, x, 0)), (Bytes{100}));
  EXPECT_EQ(
      values<std::uint8_t>(global_pool({}, x, 0, {.accumulator_bits = 8, .accumulator_overflow = Overflow::kSaturate})),
      (Bytes{64}));  // 127 / 2
}

TEST(QLinearGlobalAveragePool, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({1, 1, 2}, {1, 2}), f32(1), u8(0), f32(1), u8(0)};
  const auto check = [&](std::size_t index, Tensor tensor) {
    return refused("QLinearGlobalAveragePool", {}, with(inputs, index, std::move(tensor)));
  };
  EXPECT_EQ(check(0, f32({1, 1, 2}, {1, 2})), "qlinear_global_average_pool_c1");
  EXPECT_EQ(check(4, s8(0)), "qlinear_global_average_pool_c1");
  EXPECT_EQ(check(1, f32({2}, {1, 1})), "qlinear_global_average_pool_c2");
  EXPECT_EQ(check(0, u8({1, 2}, {1, 2})), "qlinear_global_average_pool_c3");
}

}  // namespace
}  // namespace octet
