#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

Tensor a() { return counting<float>({2, 3}); }
Tensor b() { return counting<float>({3, 2}); }  // a * b = 10 13 / 28 40

TEST(Gemm, AddsWhatBroadcasts) {
  EXPECT_EQ(values<float>(run_operator("Gemm", 11, {}, {a(), b()})[0]), (Floats{10, 13, 28, 40}));
  EXPECT_EQ(values<float>(run_operator("Gemm", 13, {}, {a(), b(), Tensor::from<float>({2}, {1, 2})})[0]),
            (Floats{11, 15, 29, 42}));
  EXPECT_EQ(values<float>(run_operator("Gemm", 7, {}, {a(), b(), Tensor::from<float>({2, 1}, {1, 2})})[0]),
            (Floats{11, 14, 30, 42}));
  EXPECT_EQ(values<float>(run_operator("Gemm", 9, {}, {a(), b(), Tensor::scalar(1.0F)})[0]), (Floats{11, 14, 29, 41}));
}

TEST(Gemm, ScalesByAlphaAndBeta) {
  const AttributeList attributes = {{"alpha", 0.5F}, {"beta", 2.0F}};
  EXPECT_EQ(values<float>(run_operator("Gemm", 13, attributes, {a(), b(), Tensor::scalar(1.0F)})[0]),
            (Floats{7, 8.5F, 16, 22}));
}

TEST(Gemm, TransposesEitherOperand) {
  // b transposed is 0 2 4 / 1 3 5; a transposed is 0 3 / 1 4 / 2 5.
  EXPECT_EQ(values<float>(run_operator("Gemm", 13, {{"transA", 1L}}, {b(), b()})[0]), (Floats{20, 26, 26, 35}));
  EXPECT_EQ(values<float>(run_operator("Gemm", 13, {{"transB", 1L}}, {a(), a()})[0]), (Floats{5, 14, 14, 50}));
  EXPECT_EQ(values<float>(run_operator("Gemm", 13, {{"transA", 1L}, {"transB", 1L}}, {b(), a()})[0]),
            (Floats{10, 28, 13, 40}));
}

TEST(Gemm, BroadcastsBeforeOpset7OnlyWhenAsked) {
  const Tensor c = Tensor::from<float>({2}, {1, 2});
  EXPECT_EQ(values<float>(run_operator("Gemm", 6, {{"broadcast", 1L}}, {a(), b(), c})[0]), (Floats{11, 15, 29, 42}));
  EXPECT_EQ(broken_constraint("Gemm", 6, {}, {a(), b(), c}), "gemm_c4");
  EXPECT_EQ(values<float>(run_operator("Gemm", 1, {}, {a(), b(), counting<float>({2, 2})})[0]),
            (Floats{10, 14, 30, 43}));
}

TEST(Gemm, IntegersWrapAndScaleInFloat64) {
  using Ints = std::vector<std::int32_t>;
  const Tensor most = Tensor::from<std::int32_t>({1, 1}, {INT32_MAX}), one = Tensor::from<std::int32_t>({1, 1}, {1}),
               two = Tensor::from<std::int32_t>({1, 1}, {2});
  EXPECT_EQ(values<std::int32_t>(run_operator("Gemm", 11, {}, {most, two})[0]), (Ints{-2}));
  EXPECT_EQ(values<std::int32_t>(run_operator("Gemm", 11, {{"alpha", 0.4F}}, {two, two})[0]), (Ints{1}));
  EXPECT_EQ(values<std::int32_t>(run_operator("Gemm", 11, {{"alpha", 4e9F}}, {one, one})[0]), (Ints{INT32_MAX}));
  EXPECT_EQ(values<std::int32_t>(run_operator("Gemm", 11, {{"alpha", -4e9F}}, {one, one})[0]), (Ints{INT32_MIN}));
}

TEST(Gemm, InfersWhatItCan) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 4}), w = fact(DType::kFloat, SymbolicShape{10, 4});
  EXPECT_EQ(infer_operator("Gemm", 13, {{"transB", 1L}}, {x, w}).shape, (SymbolicShape{n, 10}));
  EXPECT_EQ(infer_operator("Gemm", 13, {{"transB", 1L}}, {fact(DType::kFloat, std::nullopt), w}).shape,
            (SymbolicShape{Dim(), 10}));
}

TEST(Gemm, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Gemm", 13, {}, {a(), counting<double>({3, 2})}), "gemm_c1");
  EXPECT_EQ(broken_constraint("Gemm", 13, {}, {counting<float>({3}), b()}), "gemm_c2");
  EXPECT_EQ(broken_constraint("Gemm", 13, {}, {a(), a()}), "gemm_c3");
  EXPECT_EQ(broken_constraint("Gemm", 13, {}, {a(), b(), counting<float>({3})}), "gemm_c4");
  EXPECT_EQ(broken_constraint("Gemm", 13, {}, {a(), b(), counting<float>({1, 1, 1})}), "gemm_c4");
  EXPECT_EQ(broken_constraint("Gemm", 9, {}, {a(), b()}), "gemm_c4");
}

}  // namespace
}  // namespace octet
