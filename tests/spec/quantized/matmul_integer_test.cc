#include "octet/spec/quantized/matmul_integer.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

TEST(MatMulInteger, SumsTheProductsLessTheZeroPoints) {
  const Tensor a = u8({2, 2}, {1, 2, 3, 4}), b = s8({2, 2}, {1, 0, 0, -1});
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {a, b})), (Integers{1, -2, 3, -4}));
  // a - 1 = {0, 1, 2, 3}, b + 1 = {2, 1, 1, 0}
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {a, b, u8(1), s8(-1)})), (Integers{1, 0, 7, 2}));
}

TEST(MatMulInteger, HasAZeroPointPerRowAndPerColumn) {
  const Tensor a = u8({2, 1}, {10, 10}), b = u8({1, 3}, {5, 5, 5});
  const Integers want = {9 * 5, 9 * 4, 9 * 3, 8 * 5, 8 * 4, 8 * 3};
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {a, b, u8({2}, {1, 2}), u8({3}, {0, 1, 2})})), want);
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {a, b, u8({2, 1}, {1, 2}), u8({1, 3}, {0, 1, 2})})), want);
}

TEST(MatMulInteger, HasZeroPointsPerMatrixToo) {
  const Tensor a = u8({2, 1, 1}, {10, 10}), b = u8({2, 1, 2}, {1, 2, 3, 4});
  EXPECT_EQ(
      values<std::int32_t>(apply("MatMulInteger", {}, {a, b, u8({2, 1, 1}, {0, 5}), u8({2, 1, 2}, {1, 1, 0, 2})})),
      (Integers{0, 10, 15, 10}));
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {a, b, u8(0), u8({1, 1, 2}, {1, 2})})),
            (Integers{0, 0, 20, 20}));
}

TEST(MatMulInteger, BroadcastsBatchesAndTakesVectors) {
  const Tensor a = u8({2, 1, 2}, {1, 2, 3, 4}), b = u8({2}, {1, 10});
  const Tensor y = apply("MatMulInteger", {}, {a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_EQ(values<std::int32_t>(y), (Integers{21, 43}));
  EXPECT_EQ(values<std::int32_t>(apply("MatMulInteger", {}, {b, b})), (Integers{101}));
}

TEST(MatMulInteger, IsZeroWithNothingToSum) {
  const Tensor y = apply("MatMulInteger", {}, {Tensor(DType::kUint8, {2, 0}), Tensor(DType::kInt8, {0, 2})});
  EXPECT_EQ(values<std::int32_t>(y), (Integers{0, 0, 0, 0}));
}

TEST(MatMulInteger, AccumulatesInTheWidthAskedFor) {
  const Tensor a = u8({1, 2}, {200, 200}), b = s8({2, 1}, {100, -100});
  EXPECT_EQ(apply("MatMulInteger", {}, {a, b}).int_at(0), 0);
  EXPECT_EQ(apply("MatMulInteger", {}, {a, b}, {.accumulator_bits = 12}).int_at(0), 0);
  EXPECT_EQ(apply("MatMulInteger", {}, {a, b}, {.accumulator_bits = 12, .accumulator_overflow = Overflow::kSaturate})
                .int_at(0),
            -2048);  // 20000 stops at 2047, then -17953 at -2048
}

TEST(MatMulInteger, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({2, 2}, {1, 2, 3, 4}), s8({2, 3}, {1, 2, 3, 4, 5, 6}), u8(0), s8(0)};
  EXPECT_EQ(refused("MatMulInteger", {}, inputs), "");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 1, i32({2, 1}, {1, 2}))), "matmul_integer_c1");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 2, s8(0))), "matmul_integer_c1");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 1, s8({3, 1}, {1, 2, 3}))), "matmul_integer_c2");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 0, u8(0))), "matmul_integer_c2");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 2, u8({3}, {0, 0, 0}))), "matmul_integer_c3");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 3, s8({2}, {0, 0}))), "matmul_integer_c3");
  EXPECT_EQ(refused("MatMulInteger", {}, with(inputs, 3, s8({3, 1}, {0, 0, 0}))), "matmul_integer_c3");
}

}  // namespace
}  // namespace octet
