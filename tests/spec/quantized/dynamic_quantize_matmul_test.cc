#include "octet/spec/quantized/dynamic_quantize_matmul.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> dynamic_inputs() {
  // A spans [-1, 254]: scale 1, zero point 1, so that it quantizes without loss.
  return {f32({2, 2}, {-1, 0, 254, 3}), s8({2, 2}, {1, 2, 3, 4}), f32(0.5F), s8(0), f32({2}, {100, 0})};
}

TEST(DynamicQuantizeMatMul, QuantizesAOnceForAllRows) {
  EXPECT_EQ(values<float>(apply("DynamicQuantizeMatMul", {}, dynamic_inputs())), (Floats{99.5F, -1, 231.5F, 260}));
}

TEST(DynamicQuantizeMatMul, WorksWithoutZeroPointAndBias) {
  std::vector<Tensor> plain = dynamic_inputs();
  plain.resize(3);
  EXPECT_EQ(values<float>(apply("DynamicQuantizeMatMul", {}, plain)), (Floats{-0.5F, -1, 131.5F, 260}));
}

TEST(DynamicQuantizeMatMul, ChecksItsConstraints) {
  const auto check = [](std::size_t index, Tensor tensor) {
    return refused("DynamicQuantizeMatMul", {}, with(dynamic_inputs(), index, std::move(tensor)));
  };
  EXPECT_EQ(check(0, u8({2, 2}, {1, 2, 3, 4})), "dynamic_quantize_matmul_c1");
  EXPECT_EQ(check(1, f32({2, 2}, {1, 2, 3, 4})), "dynamic_quantize_matmul_c1");
  EXPECT_EQ(check(3, u8(0)), "dynamic_quantize_matmul_c1");
  EXPECT_EQ(check(0, f32({1, 3}, {1, 2, 3})), "dynamic_quantize_matmul_c2");
  EXPECT_EQ(check(2, f32({3}, {1, 2, 3})), "dynamic_quantize_matmul_c3");
  EXPECT_EQ(check(4, f32({3}, {1, 2, 3})), "dynamic_quantize_matmul_c4");
}

}  // namespace
}  // namespace octet
