#include "octet/spec/quantized/qgemm.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// A = [[1, 2], [3, 4]], B = [[1, 2], [3, 4]]: products [[7, 10], [15, 22]].
std::vector<Tensor> gemm_inputs(Tensor c = {}) {
  return {
      u8({2, 2}, {1, 2, 3, 4}), f32(0.5F), u8(0), u8({2, 2}, {1, 2, 3, 4}), f32(1), u8(0), std::move(c), f32(1), u8(0)};
}

TEST(QGemm, AddsTheZeroPointAfterRounding) {
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {}, gemm_inputs())), (Bytes{4, 5, 8, 11}));  // 3.5, 5, 7.5, 11
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {}, with(gemm_inputs(), 8, u8(1)))), (Bytes{5, 6, 9, 12}));
  EXPECT_EQ(values<std::uint8_t>(
                apply("QGemm", {}, with(gemm_inputs(), 8, u8(1)), {.zero_point = ZeroPoint::kBeforeRounding})),
            (Bytes{4, 6, 8, 12}));
}

TEST(QGemm, Transposes) {
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {{"transA", 1L}}, with(gemm_inputs(), 1, f32(1)))),
            (Bytes{10, 14, 14, 20}));
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {{"transB", 1L}}, with(gemm_inputs(), 1, f32(1)))),
            (Bytes{5, 11, 11, 25}));
}

TEST(QGemm, ScalesCTogetherWithTheProduct) {
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {{"alpha", 2.0F}}, gemm_inputs(i32({}, {10})))),
            (Bytes{17, 20, 25, 32}));
}

TEST(QGemm, BroadcastsC) {
  const auto with_c = [](Shape shape, const Integers& c) {
    return values<std::uint8_t>(apply("QGemm", {}, with(gemm_inputs(i32(std::move(shape), c)), 1, f32(1))));
  };
  EXPECT_EQ(with_c({1}, {1}), (Bytes{8, 11, 16, 23}));
  EXPECT_EQ(with_c({2}, {1, 2}), (Bytes{8, 12, 16, 24}));
  EXPECT_EQ(with_c({1, 2}, {1, 2}), (Bytes{8, 12, 16, 24}));
  EXPECT_EQ(with_c({2, 1}, {1, 2}), (Bytes{8, 11, 17, 24}));
  EXPECT_EQ(with_c({2, 2}, {1, 2, 3, 4}), (Bytes{8, 12, 18, 26}));
}

TEST(QGemm, IsFloatWithoutAZeroPointOfY) {
  std::vector<Tensor> no_y = gemm_inputs();
  no_y.resize(6);
  EXPECT_EQ(values<float>(apply("QGemm", {}, no_y)), (Floats{3.5F, 5, 7.5F, 11}));
  std::vector<Tensor> only_scale = with(gemm_inputs(), 7, f32(2));
  only_scale.resize(8);
  EXPECT_EQ(values<float>(apply("QGemm", {}, only_scale)), (Floats{1.75F, 2.5F, 3.75F, 5.5F}));
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {}, with(gemm_inputs(), 7, Tensor()))), (Bytes{4, 5, 8, 11}));
}

TEST(QGemm, HasAScaleAndAZeroPointPerColumn) {
  const std::vector<Tensor> each = with(with(gemm_inputs(), 4, f32({2}, {2, 4})), 5, u8({2}, {0, 1}));
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {}, each)), (Bytes{7, 14, 15, 30}));
  EXPECT_EQ(values<std::uint8_t>(apply("QGemm", {{"transB", 1L}}, each)), (Bytes{5, 16, 11, 36}));
}

TEST(QGemm, InfersWithSymbols) {
  std::vector<Fact> facts(6, fact(DType::kFloat, SymbolicShape{}));
  facts[0] = fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), 64});
  facts[2] = fact(DType::kUint8, SymbolicShape{});
  facts[3] = fact(DType::kInt8, SymbolicShape{10, 64});
  facts[5] = fact(DType::kInt8, SymbolicShape{});
  EXPECT_EQ(text(inferred("QGemm", {{"transB", 1L}}, facts)), "float32[N,10]");
  facts[0] = fact(DType::kUint8, std::nullopt);
  EXPECT_EQ(text(inferred("QGemm", {{"transB", 1L}}, facts)), "float32[?,10]");
}

TEST(QGemm, ChecksItsConstraints) {
  const auto check = [](std::size_t index, Tensor tensor) {
    return refused("QGemm", {}, with(gemm_inputs(i32({2}, {0, 0})), index, std::move(tensor)));
  };
  EXPECT_EQ(check(0, f32({2, 2}, {1, 2, 3, 4})), "qgemm_c1");
  EXPECT_EQ(check(2, s8(0)), "qgemm_c1");
  EXPECT_EQ(check(6, f32({2}, {0, 0})), "qgemm_c1");
  EXPECT_EQ(check(8, f32(0)), "qgemm_c1");
  EXPECT_EQ(check(7, u8(1)), "qgemm_c2");
  EXPECT_EQ(check(0, u8({2, 3}, {1, 2, 3, 4, 5, 6})), "qgemm_c3");
  EXPECT_EQ(check(0, u8({2}, {1, 2})), "qgemm_c3");
  EXPECT_EQ(check(1, f32({2}, {1, 1})), "qgemm_c4");
  EXPECT_EQ(check(4, f32({3}, {1, 1, 1})), "qgemm_c4");
  EXPECT_EQ(check(6, i32({3}, {0, 0, 0})), "qgemm_c5");
}

}  // namespace
}  // namespace octet
