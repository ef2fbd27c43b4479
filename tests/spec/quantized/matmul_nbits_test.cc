// MatMulNBits. Expected numbers are ONNX Runtime's.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// K = 20 in blocks of 16: the second is filled up. Two columns, zero points 1, 2, 3 and 4.
std::vector<Tensor> nbits_inputs(float offset = 0) {
  Floats a;
  for (int k = 0; k < 20; ++k) a.push_back(static_cast<float>(k * 7 % 5 - 2) - offset);
  Bytes b;
  for (int k = 0; k < 32; ++k) b.push_back(static_cast<std::uint8_t>(7 * k));
  return {f32({1, 20}, a), u8({2, 2, 8}, b), f32({4}, {0.5F, 1, 2, 0.25F}), u8({2}, {0x21, 0x43})};
}

AttributeList nbits(std::int64_t level = 0, std::int64_t bits = 4, std::int64_t k = 20) {
  return {{"K", k}, {"N", 2L}, {"bits", bits}, {"block_size", 16L}, {"accuracy_level", level}};
}

TEST(MatMulNBits, UnpacksWeightsAndZeroPoints) {
  EXPECT_EQ(values<float>(apply("MatMulNBits", nbits(), nbits_inputs())), (Floats{4, 23.75F}));
}

TEST(MatMulNBits, QuantizesBlocksOfAWhereTheRuntimeDoes) {
  const Floats y = values<float>(apply("MatMulNBits", nbits(4), nbits_inputs(0.25F)));
  EXPECT_NEAR(y[0], -6.968504F, 2e-6);
  EXPECT_NEAR(y[1], -12.746555F, 4e-6);
  // A block of one number and zeros is exact.
  Floats a(20, 0);
  a[0] = 3;
  EXPECT_NEAR(apply("MatMulNBits", nbits(4), with(nbits_inputs(), 0, f32({1, 20}, a))).number_at(0), 3 * -1 * 0.5,
              1e-6);
  a[1] = 0.01F;  // below half a step: gone
  EXPECT_NEAR(apply("MatMulNBits", nbits(4), with(nbits_inputs(), 0, f32({1, 20}, a))).number_at(0), 3 * -1 * 0.5,
              1e-6);
  EXPECT_NEAR(apply("MatMulNBits", nbits(), with(nbits_inputs(), 0, f32({1, 20}, a))).number_at(0),
              3 * -1 * 0.5 + 0.01 * -1 * 0.5, 1e-6);
}

TEST(MatMulNBits, HasAZeroPointInTheMiddleAndTakesReals) {
  std::vector<Tensor> inputs = nbits_inputs();
  const Floats middle = values<float>(apply("MatMulNBits", nbits(), with(inputs, 3, u8({2}, {0x88, 0x88}))));
  EXPECT_EQ(values<float>(apply("MatMulNBits", nbits(), with(inputs, 3, Tensor()))), middle);
  EXPECT_EQ(values<float>(apply("MatMulNBits", nbits(), with(inputs, 3, f32({2, 2}, {8, 8, 8, 8})))), middle);
  EXPECT_EQ(values<float>(apply("MatMulNBits", nbits(4), with(inputs, 3, f32({2, 2}, {8, 8, 8, 8})))), middle);
}

TEST(MatMulNBits, AddsABiasAndTakesBytes) {
  const Tensor a = f32({2, 16}, Floats(32, 1)), scales = f32({1, 1}, {0.5F}), bias = f32({1}, {10});
  const AttributeList attributes = {{"K", 16L}, {"N", 1L}, {"bits", 8L}, {"block_size", 16L}};
  const Tensor y =
      apply("MatMulNBits", attributes, {a, u8({1, 1, 16}, Bytes(16, 130)), scales, Tensor(), Tensor(), bias});
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_EQ(values<float>(y), (Floats{26, 26}));  // 16 * (130 - 128) / 2 + 10
}

TEST(MatMulNBits, ComputesNothingOfNothing) {
  EXPECT_EQ(apply("MatMulNBits", nbits(4), with(nbits_inputs(), 0, Tensor(DType::kFloat, {0, 20}))).shape(),
            (Shape{0, 2}));
}

TEST(MatMulNBits, InfersWhatItCan) {
  const Fact a = fact(DType::kFloat16, SymbolicShape{Dim::symbol("N"), 20}), b = fact(DType::kUint8, std::nullopt);
  EXPECT_EQ(text(inferred("MatMulNBits", nbits(), {a, b, fact(DType::kFloat16, std::nullopt)})), "float16[N,2]");
}

TEST(MatMulNBits, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = nbits_inputs();
  const auto refusal = [&](std::size_t input, Tensor tensor) {
    return refused("MatMulNBits", nbits(), with(inputs, input, std::move(tensor)));
  };
  EXPECT_EQ(refused("MatMulNBits", nbits(), inputs), "");
  EXPECT_EQ(refusal(0, Tensor(DType::kDouble, {1, 20})), "matmul_nbits_c1");
  EXPECT_EQ(refusal(1, Tensor(DType::kInt8, {2, 2, 8})), "matmul_nbits_c1");
  EXPECT_EQ(refusal(3, Tensor(DType::kInt32, {2})), "matmul_nbits_c1");
  EXPECT_EQ(refused("MatMulNBits", nbits(0, 3), inputs), "matmul_nbits_c2");
  EXPECT_EQ(refused("MatMulNBits", nbits(0, 4, 0), inputs), "matmul_nbits_c2");
  EXPECT_EQ(refused("MatMulNBits", {{"K", 20L}, {"N", 2L}, {"block_size", 24L}}, inputs), "matmul_nbits_c2");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {1, 19})), "matmul_nbits_c3");
  EXPECT_EQ(refusal(1, Tensor(DType::kUint8, {2, 2, 7})), "matmul_nbits_c3");
  EXPECT_EQ(refusal(2, Tensor(DType::kFloat, {3})), "matmul_nbits_c3");
  EXPECT_EQ(refusal(3, Tensor(DType::kUint8, {4})), "matmul_nbits_c3");
  std::vector<Tensor> grouped = inputs;
  grouped.push_back(Tensor(DType::kInt32, {20}));
  EXPECT_EQ(refused("MatMulNBits", nbits(), grouped), "matmul_nbits_c4");
  AttributeList packed = nbits();
  packed.emplace_back("weight_prepacked", 1L);
  EXPECT_EQ(refused("MatMulNBits", packed, inputs), "matmul_nbits_c4");
}

}  // namespace
}  // namespace octet
