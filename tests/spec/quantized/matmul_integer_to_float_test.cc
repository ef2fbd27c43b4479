#include "octet/spec/quantized/matmul_integer_to_float.h"

#include <cmath>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> to_float_inputs() {
  return {u8({1, 2}, {1, 2}), u8({2, 2}, {1, 2, 3, 4}), f32(0.1F), f32(0.3F), u8(0), u8(0), f32({2}, {1, -1})};
}

TEST(MatMulIntegerToFloat, MultipliesByTheProductOfTheScales) {
  std::vector<Tensor> plain = to_float_inputs();
  plain.resize(4);
  const float scale = 0.1F * 0.3F;
  EXPECT_EQ(values<float>(apply("MatMulIntegerToFloat", {}, plain)), (Floats{7 * scale, 10 * scale}));
}

TEST(MatMulIntegerToFloat, AddsTheBiasAfterRoundingTheProduct) {
  // 3 * 0.1 is 0.3 + 2^-25.4 before it is rounded to float32; fused with -0.3 that remainder would survive.
  const Tensor y = apply("MatMulIntegerToFloat", {},
                         {u8({1, 1}, {3}), u8({1, 1}, {1}), f32(0.1F), f32(1), u8(0), u8(0), f32({1}, {-0.3F})});
  const float rounded = 3 * 0.1F;
  EXPECT_EQ(y.as<float>()[0], rounded - 0.3F);
  EXPECT_NE(y.as<float>()[0], std::fma(3.0F, 0.1F, -0.3F));
}

TEST(MatMulIntegerToFloat, HasAScaleAndAZeroPointPerColumn) {
  const std::vector<Tensor> each = {u8({1, 2}, {1, 2}), u8({2, 2}, {1, 2, 3, 4}), f32(1), f32({2}, {1, 2}), u8(0),
                                    u8({2}, {0, 1})};
  EXPECT_EQ(values<float>(apply("MatMulIntegerToFloat", {}, each)), (Floats{7, 14}));
}

TEST(MatMulIntegerToFloat, ChecksItsConstraints) {
  const auto check = [](std::size_t index, Tensor tensor) {
    return refused("MatMulIntegerToFloat", {}, with(to_float_inputs(), index, std::move(tensor)));
  };
  EXPECT_EQ(refused("MatMulIntegerToFloat", {}, to_float_inputs()), "");
  EXPECT_EQ(check(0, f32({1, 2}, {1, 2})), "matmul_integer_to_float_c1");
  EXPECT_EQ(check(2, u8(1)), "matmul_integer_to_float_c1");
  EXPECT_EQ(check(4, s8(1)), "matmul_integer_to_float_c1");
  EXPECT_EQ(check(6, i32({2}, {1, 1})), "matmul_integer_to_float_c1");
  EXPECT_EQ(check(0, u8({1, 3}, {1, 2, 3})), "matmul_integer_to_float_c2");
  EXPECT_EQ(check(2, f32({2}, {1, 1})), "matmul_integer_to_float_c3");
  EXPECT_EQ(check(3, f32({3}, {1, 1, 1})), "matmul_integer_to_float_c3");
  EXPECT_EQ(check(6, f32({3}, {1, 1, 1})), "matmul_integer_to_float_c4");
  EXPECT_EQ(check(6, f32(1)), "matmul_integer_to_float_c4");
}

}  // namespace
}  // namespace octet
