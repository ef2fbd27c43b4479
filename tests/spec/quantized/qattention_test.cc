// QAttention. Expected numbers are ONNX Runtime's.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> qattention_inputs(Tensor mask = {}) {
  return {u8({1, 3, 2}, {10, 200, 130, 90, 0, 255}),
          u8({2, 6}, {10, 200, 128, 140, 60, 100, 250, 3, 120, 128, 180, 90}),
          f32({6}, {0.1F, 0.2F, -0.3F, 0.4F, 0, 0.5F}),
          f32(0.01F),
          f32(0.02F),
          std::move(mask),
          u8(120),
          u8(128)};
}

void expect_attended(const Tensor& got, const Floats& want) {
  const Floats found = values<float>(got);
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(found[k], want[k], 2e-6) << "at " << k;
}

TEST(QAttention, ProjectsInIntegersAndAttends) {
  const Tensor y = apply("QAttention", {{"num_heads", 2L}}, qattention_inputs());
  EXPECT_EQ(y.shape(), (Shape{1, 3, 2}));
  expect_attended(y, {0.8471489F, 0.3736585F, 1.7770524F, 0.4697634F, 0.6002901F, 0.3529460F});
}

TEST(QAttention, MasksKeysAndTheFuture) {
  const AttributeList attributes = {{"num_heads", 1L}, {"unidirectional", 1L}};
  expect_attended(apply("QAttention", attributes, qattention_inputs(i32({1}, {2}))),
                  {2.3279998F, 0.508F, 0.8604395F, 0.5947003F, 1.0945686F, 0.5808684F});
}

TEST(QAttention, JoinsThePastWithIntegersToTheLastBit) {
  std::vector<Tensor> inputs = qattention_inputs(i32({1, 4}, {0, 1, 1, 0}));
  inputs.push_back(f32({2, 1, 1, 1, 2}, {1, 2, 3, 4}));
  const std::vector<Tensor> y = apply_all("QAttention", {{"num_heads", 1L}}, inputs, 2);
  expect_attended(y[0], {1.0167429F, 0.5854663F, 0.8604395F, 0.5947003F, 1.0945686F, 0.5808684F});
  EXPECT_EQ(y[1].shape(), (Shape{2, 1, 1, 4, 2}));
  EXPECT_EQ(values<float>(y[1]),
            (Floats{1, 2, -0.42800000309944153F, 0.13600000739097595F, -0.25200000405311584F, 0.42399999499320984F,
                    -0.5160000324249268F, 0.11200001835823059F, 3, 4, 2.3279998302459717F, 0.5080000162124634F,
                    -0.4479999840259552F, 0.671999990940094F, 3.0360000133514404F, 0.1459999978542328F}));
}

TEST(QAttention, EveryShapeOfAMaskSaysTheSame) {
  const auto with_mask = [](Tensor mask) {
    return values<float>(apply("QAttention", {{"num_heads", 1L}}, qattention_inputs(std::move(mask))));
  };
  const Floats first_two = with_mask(i32({1}, {2}));
  EXPECT_EQ(with_mask(i32({2}, {2, 0})), first_two);
  EXPECT_EQ(with_mask(i32({1, 3}, {1, 5, 0})), first_two);
  EXPECT_EQ(with_mask(i32({1, 3, 3}, {1, 1, 0, 1, 1, 0, 1, 1, 0})), first_two);
  EXPECT_NE(with_mask(i32({2}, {2, 1})), first_two);
}

TEST(QAttention, TakesNothing) {
  EXPECT_EQ(
      apply("QAttention", {{"num_heads", 1L}}, with(qattention_inputs(), 0, Tensor(DType::kUint8, {1, 0, 2}))).shape(),
      (Shape{1, 0, 2}));
}

TEST(QAttention, InfersWhatItCan) {
  std::vector<Fact> facts;
  for (const Tensor& input : qattention_inputs()) facts.push_back(input.empty() ? Fact() : Fact::of(input));
  facts[0] = fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), Dim::symbol("S"), 2});
  EXPECT_EQ(text(inferred("QAttention", {{"num_heads", 2L}}, facts)), "float32[N,S,2]");
}

TEST(QAttention, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = qattention_inputs();
  const auto refusal = [&](std::size_t input, Tensor tensor) {
    std::vector<Tensor> all = inputs;
    all.resize(std::max(all.size(), input + 1));
    all[input] = std::move(tensor);
    return refused("QAttention", {{"num_heads", 1L}}, all);
  };
  EXPECT_EQ(refused("QAttention", {{"num_heads", 1L}}, inputs), "");
  EXPECT_EQ(refusal(0, Tensor(DType::kFloat, {1, 3, 2})), "qattention_c1");
  EXPECT_EQ(refusal(7, s8(0)), "qattention_c1");
  EXPECT_EQ(refusal(5, Tensor(DType::kInt64, {1})), "qattention_c1");
  EXPECT_EQ(refusal(0, Tensor(DType::kUint8, {3, 2})), "qattention_c2");
  EXPECT_EQ(refusal(0, Tensor(DType::kUint8, {1, 3, 3})), "qattention_c2");
  EXPECT_EQ(refused("QAttention", {{"num_heads", 3L}}, inputs), "qattention_c2");
  EXPECT_EQ(refused("QAttention", {}, inputs), "qattention_c2");
  EXPECT_EQ(refusal(8, Tensor(DType::kFloat, {2, 1, 1, 1, 3})), "qattention_c2");
  EXPECT_EQ(refusal(4, Tensor(DType::kFloat, {2})), "qattention_c3");
  EXPECT_EQ(refusal(5, Tensor(DType::kInt32, {1, 2})), "qattention_c4");
  EXPECT_EQ(refused("QAttention", {{"num_heads", 1L}, {"scale", -1.0F}}, inputs), "qattention_c5");
  EXPECT_EQ(refused("QAttention", {{"num_heads", 1L}, {"do_rotary", 1L}}, inputs), "qattention_c5");
}

}  // namespace
}  // namespace octet
