// SkipLayerNormalization, SkipSimplifiedLayerNormalization, EmbedLayerNormalization and SimplifiedLayerNormalization.
// Expected numbers are ONNX Runtime's.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

void expect_normal(const Tensor& got, const Shape& shape, const Floats& want) {
  EXPECT_EQ(got.shape(), shape);
  const Floats found = values<float>(got);
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(found[k], want[k], 1e-6) << "at " << k;
}

Tensor tokens() { return f32({2, 2, 3}, {1, 2, 4, -1, 0, 3, 5, 5, -2, 0, 1, 1}); }
std::vector<Tensor> skip_inputs() {
  return {tokens(), f32({2, 3}, {1, 0, -1, 2, 2, 0}), f32({3}, {1, 2, -1}), f32({3}, {0, 1, 0.5F}),
          f32({3}, {0.5F, 0, 0})};
}
const AttributeList kQuarter = {{"epsilon", 0.25F}};
const Floats kSkipSums = {2.5F, 2, 3, 1.5F, 2, 3, 6.5F, 5, -3, 2.5F, 3, 1};

TEST(SkipLayerNormalization, NormalizesTheSum) {
  const std::vector<Tensor> y = apply_all("SkipLayerNormalization", kQuarter, skip_inputs(), 4);
  expect_normal(y[0], {2, 2, 3},
                {0, -0.5491933F, -0.2745966F, -0.8340578F, 0.5829710F, -0.5425720F, 0.8730434F, 2.0317786F, 1.8889326F,
                 0.3380616F, 2.6903083F, 1.6832161F});
  expect_normal(y[1], {2, 2, 1}, {2.5F, 2.1666667F, 2.8333333F, 2.1666667F});
  EXPECT_EQ(y[2].shape(), (Shape{2, 2, 1}));
  EXPECT_NEAR(values<float>(y[2])[0], 1.5491933F, 1e-6);  // 1 / sqrt(1/6 + 1/4)
  EXPECT_EQ(values<float>(y[3]), kSkipSums);
}

TEST(SkipLayerNormalization, NeedsNeitherBetaNorBiasNorMoreOutputs) {
  const Tensor x = f32({1, 2}, {1, 3}), zero = f32({1, 2}, {0, 0}), gamma = f32({2}, {1, 10});
  expect_normal(apply("SkipLayerNormalization", {}, {x, zero, gamma}), {1, 2}, {-1, 10});
}

TEST(SkipSimplifiedLayerNormalization, DividesByTheRootOfTheMeanSquare) {
  std::vector<Tensor> inputs = skip_inputs();
  inputs.erase(inputs.begin() + 3);
  const std::vector<Tensor> y = apply_all("SkipSimplifiedLayerNormalization", kQuarter, inputs, 4);
  expect_normal(y[0], {2, 2, 3},
                {0.9682459F, 1.5491934F, -1.1618950F, 0.6495191F, 1.7320509F, -1.2990382F, 1.2830058F, 1.9738551F,
                 0.5921565F, 1.0502101F, 2.5205042F, -0.4200841F});
  EXPECT_EQ(values<float>(y[1]), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(values<float>(y[3]), kSkipSums);
}

TEST(SkipLayerNormalization, InfersWhatItCan) {
  const Fact x = fact(DType::kFloat16, SymbolicShape{Dim::symbol("N"), 5, 8}),
             any = fact(DType::kFloat16, std::nullopt);
  EXPECT_EQ(text(inferred("SkipLayerNormalization", {}, {x, any, any})), "float16[N,5,8]");
  EXPECT_EQ(text(inferred("SkipLayerNormalization", {}, {any, x, any})), "float16 of any rank");
}

TEST(SkipLayerNormalization, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = skip_inputs();
  const auto refusal = [&](std::size_t input, Tensor tensor) {
    return refused("SkipLayerNormalization", {}, with(inputs, input, std::move(tensor)));
  };
  EXPECT_EQ(refused("SkipLayerNormalization", {}, inputs), "");
  EXPECT_EQ(refusal(0, Tensor(DType::kDouble, {2, 2, 3})), "skip_layer_normalization_c1");
  EXPECT_EQ(refusal(4, Tensor(DType::kFloat16, {3})), "skip_layer_normalization_c1");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {3})), "skip_layer_normalization_c2");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {2, 2, 0})), "skip_layer_normalization_c2");
  EXPECT_EQ(refusal(1, Tensor(DType::kFloat, {2, 1, 3})), "skip_layer_normalization_c2");
  EXPECT_EQ(refusal(1, Tensor(DType::kFloat, {3})), "skip_layer_normalization_c2");
  EXPECT_EQ(refusal(1, Tensor(DType::kFloat, {1, 2, 3})), "");
  EXPECT_EQ(refusal(2, Tensor(DType::kFloat, {2})), "skip_layer_normalization_c3");
  EXPECT_EQ(refusal(4, Tensor(DType::kFloat, {1, 3})), "skip_layer_normalization_c3");
}

TEST(SimplifiedLayerNormalization, DividesByTheRootOfTheMeanSquare) {
  const std::vector<Tensor> y =
      apply_all("SimplifiedLayerNormalization", kQuarter, {tokens(), f32({3}, {1, 2, -1})}, 2);
  expect_normal(y[0], {2, 2, 3},
                {0.3713907F, 1.4855627F, -1.4855627F, -0.5282705F, 0, -1.5848117F, 1.1704115F, 2.3408229F, 0.4681646F,
                 0, 2.0889318F, -1.0444659F});
  expect_normal(y[1], {2, 2, 1}, {0.3713907F, 0.5282705F, 0.2340823F, 1.0444659F});
}

TEST(SimplifiedLayerNormalization, TakesAnyAxisAndNothing) {
  const AttributeList attributes = {{"axis", 1L}, {"epsilon", 0.0F}};
  expect_normal(apply("SimplifiedLayerNormalization", attributes, {f32({1, 2, 1}, {1, 7}), f32({2, 1}, {5, 10})}),
                {1, 2, 1}, {1, 14});
  EXPECT_EQ(
      apply("SimplifiedLayerNormalization", {}, {Tensor(DType::kFloat, {2, 0}), Tensor(DType::kFloat, {0})}).shape(),
      (Shape{2, 0}));
}

TEST(SimplifiedLayerNormalization, ChecksItsConstraints) {
  const Tensor scale = f32({3}, {1, 2, -1});
  EXPECT_EQ(refused("SimplifiedLayerNormalization", {}, {tokens(), Tensor(DType::kDouble, {3})}),
            "simplified_layer_normalization_c1");
  EXPECT_EQ(refused("SimplifiedLayerNormalization", {{"axis", 3L}}, {tokens(), scale}),
            "simplified_layer_normalization_c2");
  EXPECT_EQ(refused("SimplifiedLayerNormalization", {{"axis", 1L}}, {tokens(), scale}),
            "simplified_layer_normalization_c3");
  EXPECT_EQ(refused("SimplifiedLayerNormalization", {{"stash_type", 10L}}, {tokens(), scale}),
            "simplified_layer_normalization_c4");
}

TEST(LayerNormalization, IsThereInOldOpsetsToo) {
  const std::vector<Tensor> inputs = {tokens(), f32({3}, {1, 2, -1}), f32({3}, {1, 0, 0})};
  expect_normal(run_operator("LayerNormalization", 12, kQuarter, inputs)[0], {2, 2, 3},
                {0.0077223F, -0.4961388F, -1.2403474F, 0.0592791F, -0.7525766F, -1.3170093F, 1.6991266F, 1.3982532F,
                 1.3982533F, 0.0298575F, 0.9701424F, -0.4850712F});
}

std::vector<Tensor> embedding_inputs() {
  return {i32({2, 3}, {0, 3, 1, 2, 2, 0}),
          i32({2, 3}, {0, 1, 1, 0, 0, 1}),
          f32({4, 2}, {0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F}),
          f32({3, 2}, {0, 1, 2, 0, -1, 3}),
          f32({2, 2}, {1, 0, 0, -1}),
          f32({2}, {1, 2}),
          f32({2}, {0, 1}),
          i32({2, 3}, {1, 1, 0, 2, 1, 0})};
}
const AttributeList kHalf = {{"epsilon", 0.5F}};

TEST(EmbedLayerNormalization, AddsThreeRowsAndCountsOnes) {
  const std::vector<Tensor> y = apply_all("EmbedLayerNormalization", kHalf, embedding_inputs(), 3);
  expect_normal(y[0], {2, 3, 2},
                {-0.3333333F, 1.6666667F, 0.8703883F, -0.7407765F, -0.9271727F, 2.8543453F, -0.3333333F, 1.6666667F,
                 0.8703883F, -0.7407765F, -0.9271727F, 2.8543453F});
  EXPECT_EQ(values<std::int32_t>(y[1]), (Integers{2, 1}));
  EXPECT_EQ(values<float>(y[2]), (Floats{1, 1.5F, 5, 2.5F, 0, 3.5F, 3, 3.5F, 5, 2.5F, -1, 2.5F}));
}

TEST(EmbedLayerNormalization, TakesPositionsFromAnInputAndLeavesSegmentsOut) {
  std::vector<Tensor> inputs = embedding_inputs();
  inputs[1] = inputs[4] = inputs[7] = Tensor();
  inputs.push_back(i32({1, 3}, {2, 1, 0}));
  const std::vector<Tensor> y = apply_all("EmbedLayerNormalization", kHalf, inputs, 3);
  EXPECT_EQ(values<std::int32_t>(y[1]), (Integers{0, 0}));
  EXPECT_EQ(values<float>(y[2]), (Floats{-1, 3.5F, 5, 3.5F, 1, 2.5F, 1, 5.5F, 4, 2.5F, 0, 1.5F}));
}

TEST(EmbedLayerNormalization, InfersWhatItCan) {
  const Fact ids = fact(DType::kInt32, SymbolicShape{Dim::symbol("N"), Dim::symbol("S")});
  const Fact table = fact(DType::kFloat, SymbolicShape{9, 4}), vector = fact(DType::kFloat, SymbolicShape{4});
  EXPECT_EQ(text(inferred("EmbedLayerNormalization", {}, {ids, Fact(), table, table, Fact(), vector, vector})),
            "float32[N,S,4]");
}

TEST(EmbedLayerNormalization, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = embedding_inputs();
  const auto refusal = [&](std::size_t input, Tensor tensor) {
    return refused("EmbedLayerNormalization", {}, with(inputs, input, std::move(tensor)));
  };
  EXPECT_EQ(refused("EmbedLayerNormalization", {}, inputs), "");
  EXPECT_EQ(refusal(0, Tensor(DType::kInt64, {2, 3})), "embed_layer_normalization_c1");
  EXPECT_EQ(refusal(5, Tensor(DType::kFloat16, {2})), "embed_layer_normalization_c1");
  EXPECT_EQ(refusal(1, Tensor(DType::kInt32, {2, 2})), "embed_layer_normalization_c2");
  EXPECT_EQ(refusal(3, Tensor(DType::kFloat, {3, 3})), "embed_layer_normalization_c3");
  EXPECT_EQ(refusal(6, Tensor(DType::kFloat, {3})), "embed_layer_normalization_c3");
  EXPECT_EQ(refusal(4, Tensor()), "embed_layer_normalization_c3");
  EXPECT_EQ(refusal(0, i32({2, 3}, {0, 3, 4, 2, 2, 0})), "embed_layer_normalization_c4");
  EXPECT_EQ(refusal(1, i32({2, 3}, {0, 1, -1, 0, 0, 1})), "embed_layer_normalization_c4");
  EXPECT_EQ(refusal(3, Tensor(DType::kFloat, {2, 2})), "embed_layer_normalization_c4");
}

}  // namespace
}  // namespace octet
