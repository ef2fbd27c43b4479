// Attention. ONNX's own cases cover masks, heads and caches; these are the ends of each.
#include <cmath>
#include <limits>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// One head of size 1: scores are q * k with scale 1.
std::vector<Tensor> one_head(const Floats& q, const Floats& k, const Floats& v) {
  const auto row = [](const Floats& x) { return f32({1, 1, static_cast<std::int64_t>(x.size()), 1}, x); };
  return {row(q), row(k), row(v)};
}
AttributeList unscaled(AttributeList more = {}) {
  more.emplace_back("scale", 1.0F);
  return more;
}

void expect_weights(const Tensor& got, const Floats& want) {
  const Floats found = values<float>(got);
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(found[k], want[k], 1e-6) << "at " << k;
}

TEST(Attention, WeighsValuesByScores) {
  const float log3 = std::log(3.0F);  // weights 1/4 and 3/4
  expect_weights(apply("Attention", unscaled(), one_head({1}, {0, log3}, {0, 8})), {6});
}

TEST(Attention, CausalAlignsBehindThePast) {
  std::vector<Tensor> inputs = one_head({0, 0}, {0, 0}, {2, 4});
  expect_weights(apply("Attention", unscaled({{"is_causal", 1L}}), inputs), {2, 3});
  inputs.resize(6);
  inputs[4] = f32({1, 1, 1, 1}, {0});
  inputs[5] = f32({1, 1, 1, 1}, {12});
  const std::vector<Tensor> y = apply_all("Attention", unscaled({{"is_causal", 1L}}), inputs, 3);
  expect_weights(y[0], {7, 6});
  EXPECT_EQ(values<float>(y[2]), (Floats{12, 2, 4}));
}

TEST(Attention, GivesZeroWhereNothingIsSeen) {
  std::vector<Tensor> inputs = one_head({0, 0}, {0, 0}, {2, 4});
  inputs.push_back(Tensor::from<bool>({2, 2}, {false, false, true, false}));
  expect_weights(apply("Attention", unscaled(), inputs), {0, 2});
  inputs[3] = Tensor::from<bool>({2, 1}, {false, true});  // what is missing is -inf, not repeated
  expect_weights(apply("Attention", unscaled(), inputs), {0, 2});
}

TEST(Attention, LeavesPaddingOut) {
  std::vector<Tensor> inputs = one_head({0, 0}, {0, 0, 0}, {2, 4, 100});
  inputs.resize(7);
  inputs[6] = int64s({2});
  expect_weights(apply("Attention", unscaled(), inputs), {3, 3});
  expect_weights(apply("Attention", unscaled({{"is_causal", 1L}}), inputs), {2, 3});
  inputs[6] = int64s({1});  // the first query comes before the first key
  expect_weights(apply("Attention", unscaled({{"is_causal", 1L}}), inputs), {0, 2});
}

TEST(Attention, LooksThroughAWindow) {
  const std::vector<Tensor> inputs = one_head({0, 0, 0}, {0, 0, 0}, {3, 6, 9});
  expect_weights(apply("Attention", unscaled({{"left_window_size", 1L}, {"right_window_size", 0L}}), inputs),
                 {3, 4.5F, 7.5F});
}

TEST(Attention, SharesKeysAmongHeadsAndTakesThreeDimensions) {
  // Two heads of Q, one of K and V, sizes 1; Y is [1, 1, 2].
  const std::vector<Tensor> inputs = {f32({1, 1, 2}, {0, std::log(3.0F)}), f32({1, 2, 1}, {0, 1}),
                                      f32({1, 2, 1}, {0, 8})};
  const Tensor y = apply("Attention", unscaled({{"q_num_heads", 2L}, {"kv_num_heads", 1L}}), inputs);
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2}));
  expect_weights(y, {4, 6});
}

TEST(Attention, ShowsScoresOfEveryStage) {
  std::vector<Tensor> inputs = one_head({2}, {0, 1}, {0, 1});
  inputs.push_back(f32({1, 2}, {0, -1}));
  const auto stage = [&](std::int64_t mode) {
    return apply_all("Attention", unscaled({{"softcap", 4.0F}, {"qk_matmul_output_mode", mode}}), inputs, 4)[3];
  };
  const float capped = 4 * std::tanh(0.5F), weight = 1 / (1 + std::exp(1 - capped));
  expect_weights(stage(0), {0, 2});
  expect_weights(stage(1), {0, capped});
  expect_weights(stage(2), {0, capped - 1});
  expect_weights(stage(3), {1 - weight, weight});
}

TEST(Attention, AddsTheLowestNumberOrTheStandardsInfinityWhereNothingIsSeen) {
  const std::vector<Tensor> inputs = one_head({0, 0}, {0, 1}, {2, 4});
  const auto scores = [&](std::string_view arithmetic) {
    const Parallel parallel(1);
    return values<float>(execute(*find_operator("", "Attention"), 23,
                                 attributes_of(unscaled({{"is_causal", 1L}, {"qk_matmul_output_mode", 2L}})), inputs, 4,
                                 {arithmetic_named(arithmetic), parallel})[3]);
  };
  EXPECT_EQ(scores("onnxruntime")[1], std::numeric_limits<float>::lowest());
  EXPECT_EQ(scores("onnx-reference")[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(scores("onnx-reference")[2], 0);
}

TEST(Attention, ScalesByTheSizeOfAHeadUnlessTold) {
  const Tensor q = f32({1, 1, 1, 4}, {1, 1, 1, 1}), k = f32({1, 1, 2, 4}, Floats{0, 0, 0, 0, 1, 1, 1, 1});
  const Tensor scores = apply_all("Attention", {}, {q, k, f32({1, 1, 2, 1}, {0, 1})}, 4)[3];
  expect_weights(scores, {0, 2});  // 4 / sqrt(4)
}

TEST(Attention, ComputesNothingOfNothing) {
  const Tensor huge(DType::kFloat, {1, 1, std::int64_t{1} << 40, 0});
  EXPECT_EQ(apply("Attention", {}, {Tensor(DType::kFloat, {1, 1, 1, 0}), huge, huge}).shape(), (Shape{1, 1, 1, 0}));
  const Tensor none(DType::kFloat, {1, 1, 0, 1});
  EXPECT_EQ(values<float>(apply("Attention", {}, {f32({1, 1, 1, 1}, {1}), none, none})), (Floats{0}));
}

TEST(Attention, InfersWhatItCan) {
  const Fact q = fact(DType::kFloat16, SymbolicShape{Dim::symbol("N"), Dim::symbol("S"), 64});
  EXPECT_EQ(text(inferred("Attention", {{"q_num_heads", 4L}, {"kv_num_heads", 4L}}, {q, q, q})), "float16[N,S,64]");
}

TEST(Attention, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = one_head({1, 2}, {1, 2, 3}, {1, 2, 3});
  const auto refusal = [&](std::size_t input, Tensor tensor, const AttributeList& attributes = {}) {
    std::vector<Tensor> all = inputs;
    all.resize(std::max(all.size(), input + 1));
    all[input] = std::move(tensor);
    return refused("Attention", attributes, all);
  };
  EXPECT_EQ(refused("Attention", {}, inputs), "");
  EXPECT_EQ(refusal(1, Tensor(DType::kDouble, {1, 1, 3, 1})), "attention_c1");
  EXPECT_EQ(refusal(1, Tensor(DType::kFloat, {1, 1, 2, 1})), "attention_c2");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {1, 2, 1})), "attention_c2");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {1, 1, 2, 2})), "attention_c2");
  EXPECT_EQ(
      refused("Attention", {{"q_num_heads", 2L}, {"kv_num_heads", 0L}},
              {Tensor(DType::kFloat, {1, 2, 2}), Tensor(DType::kFloat, {1, 2, 2}), Tensor(DType::kFloat, {1, 2, 2})}),
      "attention_c2");
  EXPECT_EQ(
      refused("Attention", {{"q_num_heads", 3L}, {"kv_num_heads", 2L}},
              {Tensor(DType::kFloat, {1, 2, 3}), Tensor(DType::kFloat, {1, 2, 2}), Tensor(DType::kFloat, {1, 2, 2})}),
      "attention_c2");
  EXPECT_EQ(refusal(4, Tensor(DType::kFloat, {1, 1, 1, 1})), "attention_c3");
  EXPECT_EQ(refusal(6, int64s({4})), "attention_c3");
  EXPECT_EQ(refusal(6, int64s({-1})), "attention_c3");
  EXPECT_EQ(refusal(3, Tensor(DType::kInt32, {2, 3})), "attention_c4");
  EXPECT_EQ(refusal(3, Tensor(DType::kFloat, {2, 4})), "attention_c4");
  EXPECT_EQ(refusal(3, Tensor(DType::kFloat, {3, 3})), "attention_c4");
  EXPECT_EQ(refused("Attention", {{"qk_matmul_output_mode", 4L}}, inputs), "attention_c5");
  EXPECT_EQ(refused("Attention", {{"left_window_size", -2L}}, inputs), "attention_c5");
  EXPECT_EQ(refused("Attention", {{"softmax_precision", 7L}}, inputs), "attention_c5");
}

}  // namespace
}  // namespace octet
