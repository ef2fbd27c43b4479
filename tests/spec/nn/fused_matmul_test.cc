#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

TEST(FusedMatMul, TransposesAndScales) {
  const Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(values<float>(apply("FusedMatMul", {}, {a, b})), (Floats{4, 5, 10, 11}));
  EXPECT_EQ(values<float>(apply("FusedMatMul", {{"alpha", -2.0F}}, {a, b})), (Floats{-8, -10, -20, -22}));
  const Tensor square = apply("FusedMatMul", {{"transA", 1L}}, {a, a});
  EXPECT_EQ(square.shape(), (Shape{3, 3}));
  EXPECT_EQ(values<float>(square), (Floats{17, 22, 27, 22, 29, 36, 27, 36, 45}));
  EXPECT_EQ(values<float>(apply("FusedMatMul", {{"transB", 1L}}, {a, a})), (Floats{14, 32, 32, 77}));
}

TEST(FusedMatMul, MovesTheBatch) {
  // [M, batch, K] = [2, 2, 1]: batch 0 has the rows 1 and 3, batch 1 the rows 2 and 4.
  const Tensor a = f32({2, 2, 1}, {1, 2, 3, 4}), b = f32({2, 1, 1}, {10, 100});
  const Tensor y = apply("FusedMatMul", {{"transBatchA", 1L}}, {a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(values<float>(y), (Floats{10, 30, 200, 400}));
}

TEST(FusedMatMul, LeavesVectorsAlone) {
  EXPECT_EQ(values<float>(apply("FusedMatMul", {{"transA", 1L}}, {f32({2}, {1, 2}), f32({2, 1}, {3, 4})})),
            (Floats{11}));
}

TEST(FusedMatMul, InfersWhatItCan) {
  const Fact a = fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 4, 3}),
             b = fact(DType::kFloat, SymbolicShape{5, 4});
  EXPECT_EQ(text(inferred("FusedMatMul", {{"transA", 1L}, {"transB", 1L}}, {a, b})), "float32[N,3,5]");
}

TEST(FusedMatMul, ChecksItsConstraints) {
  const Tensor a(DType::kFloat, {2, 3});
  EXPECT_EQ(refused("FusedMatMul", {}, {Tensor(DType::kInt32, {2, 3}), Tensor(DType::kInt32, {3, 2})}),
            "fused_matmul_c1");
  EXPECT_EQ(refused("FusedMatMul", {}, {a, Tensor(DType::kDouble, {3, 2})}), "fused_matmul_c1");
  EXPECT_EQ(refused("FusedMatMul", {}, {a, a}), "fused_matmul_c2");
  EXPECT_EQ(refused("FusedMatMul", {{"transBatchA", 1L}}, {a, Tensor(DType::kFloat, {3, 2})}), "fused_matmul_c3");
}

}  // namespace
}  // namespace octet
