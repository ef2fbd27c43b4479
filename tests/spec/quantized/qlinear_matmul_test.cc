#include "octet/spec/quantized/qlinear_matmul.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> matmul_inputs() {
  return {u8({1, 2}, {1, 2}), f32(0.5F), u8(0), u8({2, 2}, {1, 2, 2, 1}), f32(1), u8(0), f32(1), u8(1)};
}

TEST(QLinearMatMul, AddsTheZeroPointAfterRounding) {
  // sums 5 and 4, halves 2.5 and 2
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearMatMul", {}, matmul_inputs())), (Bytes{3, 3}));
  EXPECT_EQ(
      values<std::uint8_t>(apply("QLinearMatMul", {}, matmul_inputs(), {.zero_point = ZeroPoint::kBeforeRounding})),
      (Bytes{4, 3}));
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearMatMul", {}, matmul_inputs(), {.rounding = Rounding::kTiesAway})),
            (Bytes{4, 3}));
}

TEST(QLinearMatMul, HasAScaleAndAZeroPointPerRowAndPerColumn) {
  const Tensor a = u8({2, 1}, {10, 10}), b = s8({1, 2}, {5, 5});
  const std::vector<Tensor> each = {
      a, f32({2}, {1, 2}), u8({2}, {0, 5}), b, f32({2}, {1, 0.5F}), s8({2}, {0, -5}), f32(1), u8(0)};
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearMatMul", {}, each)), (Bytes{50, 50, 50, 50}));
}

TEST(QLinearMatMul, TakesScalesOfEveryRank) {
  const Tensor a = u8({2, 1, 1}, {10, 20}), b = u8({2, 1, 1}, {3, 4});
  const std::vector<Tensor> each = {a, f32({2, 1, 1}, {1, 0.5F}), u8(0), b, f32({1, 1, 1}, {1}), u8(0), f32(1), u8(0)};
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearMatMul", {}, each)), (Bytes{30, 40}));
}

TEST(QLinearMatMul, WidensHalfScales) {
  std::vector<Tensor> halves = matmul_inputs();
  for (const std::size_t scale : {1, 4, 6}) halves[scale] = convert(halves[scale], DType::kFloat16);
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearMatMul", {}, halves)), (Bytes{3, 3}));
}

TEST(QLinearMatMul, ShowsButDoesNotComputeFloat8) {
  std::vector<Tensor> float8 = matmul_inputs();
  for (const std::size_t k : {0, 2, 3, 5, 7}) float8[k] = float8[k].retyped(DType::kFloat8E4M3FN);
  EXPECT_EQ(failure_of([&] { apply("QLinearMatMul", {}, float8); }).code(), ErrorCode::kUnsupported);
}

TEST(QLinearMatMul, ChecksItsConstraints) {
  const auto check = [](std::size_t index, Tensor tensor) {
    return refused("QLinearMatMul", {}, with(matmul_inputs(), index, std::move(tensor)));
  };
  EXPECT_EQ(check(0, i32({1, 2}, {1, 2})), "qlinear_matmul_c1");
  EXPECT_EQ(check(2, s8(0)), "qlinear_matmul_c1");
  EXPECT_EQ(check(5, s8(0)), "qlinear_matmul_c1");
  EXPECT_EQ(check(7, i32({}, {0})), "qlinear_matmul_c1");
  EXPECT_EQ(check(1, u8(1)), "qlinear_matmul_c2");
  EXPECT_EQ(check(0, u8({1, 3}, {1, 2, 3})), "qlinear_matmul_c3");
  EXPECT_EQ(check(1, f32({2}, {1, 1})), "qlinear_matmul_c4");
  EXPECT_EQ(check(4, f32({3}, {1, 1, 1})), "qlinear_matmul_c4");
  EXPECT_EQ(check(6, f32({2}, {1, 1})), "qlinear_matmul_c5");
}

}  // namespace
}  // namespace octet
