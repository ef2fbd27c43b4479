#include "octet/spec/operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "octet/base/error.h"
#include "octet/spec/operators.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

const Arithmetic kArithmetic;
const Parallel kParallel(1);

void same_shape(Inference& i) { i.set_output(0, i.dtype(0), i.input(0).shape); }

void double_it(Call& call) {
  const auto x = call.input(0).as<float>();
  const auto y = call.output(0).mutable_as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
}

const Operator kDouble = {
    .name = "Double", .versions = {1}, .formula = "for this test", .infer = same_shape, .compute = double_it};

void huge_shape(Inference& i) { i.set_output(0, DType::kFloat, SymbolicShape{1 << 20, 1 << 20}); }
const Operator kHuge = {
    .name = "Huge", .versions = {1}, .formula = "for this test", .infer = huge_shape, .compute = double_it};

void shapeless(Inference& i) { i.set_output(0, DType::kFloat, std::nullopt); }
const Operator kShapeless = {
    .name = "Shapeless", .versions = {1}, .formula = "for this test", .infer = shapeless, .compute = double_it};

std::vector<Tensor> applied(const Operator& op, const std::vector<Tensor>& inputs) {
  return execute(op, 1, Attributes(), inputs, 1, Environment{kArithmetic, kParallel});
}

TEST(Execute, ComputesIntoTheInferredShape) {
  const Tensor y = applied(kDouble, {Tensor::from<float>({2}, {1, -3})})[0];
  EXPECT_TRUE(y.identical(Tensor::from<float>({2}, {2, -6})));
}

TEST(Execute, PromotesHalvesAndRoundsOnce) {
  const Tensor x = Tensor::from<Float16>({1}, {to_float16(1.5F)});
  const Tensor y = applied(kDouble, {x})[0];
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  EXPECT_EQ(y.number_at(0), 3.0);
}

TEST(Execute, RefusesOutputsBeyondTheLimitBeforeAllocating) {
  try {
    applied(kHuge, {Tensor::scalar(1.0F)});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
  }
}

TEST(Execute, RefusesShapesThatAreNotKnown) { EXPECT_THROW(applied(kShapeless, {Tensor::scalar(1.0F)}), Error); }

TEST(Execute, RefusesMissingInputs) { EXPECT_THROW(applied(kDouble, {Tensor()}), Error); }

TEST(Inference, KnowsTheElementsOfSmallIntegerVectors) {
  const Attributes none;
  const Inference i(1, none,
                    {Fact::of(Tensor::from<std::int64_t>({2}, {3, -1})), Fact::of(Tensor::scalar(1.0F)),
                     Fact::of(Tensor(DType::kInt64, {2, 2})), Fact::of(Tensor(DType::kInt64, {1025}))},
                    1);
  ASSERT_TRUE(i.elements(0));
  EXPECT_EQ(*i.elements(0), (std::vector<Dim>{3, -1}));
  EXPECT_FALSE(i.elements(1));
  EXPECT_FALSE(i.elements(2));
  EXPECT_FALSE(i.elements(3));
}

TEST(Is, ComparesIdentities) {
  EXPECT_TRUE(is(find_operator("", "Conv"), ops::kConv));
  EXPECT_FALSE(is(find_operator("", "ConvTranspose"), ops::kConv));
  EXPECT_FALSE(is(nullptr, ops::kConv));
}

TEST(Is, TakesCopiesOfTheStandardsOperators) {
  EXPECT_TRUE(is(find_operator("com.microsoft", "QuantizeLinear"), ops::kQuantizeLinear));
  EXPECT_TRUE(is(find_operator("com.microsoft", "DequantizeLinear"), ops::kDequantizeLinear));
  EXPECT_FALSE(is(&ops::kQuantizeLinear, ops::kMicrosoftQuantizeLinear));
  EXPECT_FALSE(is(&ops::kMicrosoftAttention, ops::kAttention)) << "another operator of the same name";
}

TEST(Traits, HoldWhatTheyWereGiven) {
  constexpr Traits kNone, kTwo = {Trait::kClamp, Trait::kWeighted};
  static_assert(!kNone.has(Trait::kWeighted) && kTwo.has(Trait::kWeighted) && kTwo.has(Trait::kClamp));
  EXPECT_FALSE(kTwo.has(Trait::kSumOfProducts));
  EXPECT_FALSE(has(nullptr, Trait::kWeighted));
  EXPECT_TRUE(has(&ops::kGemm, Trait::kWeighted));
  EXPECT_FALSE(has(&ops::kQGemm, Trait::kWeighted));
}

TEST(Registry, FindsOperatorsByNameOfAiOnnxFirst) {
  EXPECT_EQ(find_operator_named("Attention"), &ops::kAttention);
  EXPECT_EQ(find_operator_named("QGemm"), &ops::kQGemm);
  EXPECT_EQ(find_operator_named("NoSuchOperator"), nullptr);
}

// The names tell which operators a trait must not miss.
TEST(Registry, GivesTheTraitsThatNamesPromise) {
  for (const Operator* op : operators()) {
    const std::string_view name = op->name;
    const bool on_integers = name.starts_with("QLinear") || name == "QGemm" || name.ends_with("Integer");
    if (on_integers || op->float_form) {
      ASSERT_TRUE(op->float_form) << name << " lacks its float form";
      EXPECT_TRUE(op->float_form->domain.empty() && !op->float_form->float_form) << name;
      EXPECT_NE(name.find(op->float_form->name), std::string_view::npos) << name;
    }
    if (name.starts_with("Reduce") || name.ends_with("Normalization")) {
      EXPECT_TRUE(has(op, Trait::kManyTerms)) << name;
    }
    if (!op->float_form && (name.starts_with("Reduce") || name.ends_with("Pool"))) {
      EXPECT_TRUE(has(op, Trait::kPool)) << name;
    }
    if (op->kind == StepKind::kConvolution || op->kind == StepKind::kMatMul || has(op, Trait::kWeighted)) {
      EXPECT_NE(op->macs, MacRule::kNone) << name;
    }
    if (op->same_as) {
      EXPECT_EQ(std::tie(op->name, op->formula), std::tie(op->same_as->name, op->same_as->formula));
    }
  }
}

TEST(Registry, IsSortedUniqueAndComplete) {
  const Operator* previous = nullptr;
  for (const Operator* op : operators()) {
    EXPECT_TRUE(op->infer && !op->formula.empty() && !op->versions.empty()) << op->name;
    EXPECT_NE(op->compute == nullptr, op->control == nullptr) << op->name;
    EXPECT_TRUE(std::is_sorted(op->versions.begin(), op->versions.end())) << op->name;
    if (previous) {
      EXPECT_LT(std::tie(previous->domain, previous->name), std::tie(op->domain, op->name));
    }
    EXPECT_EQ(find_operator(op->domain, op->name), op);
    previous = op;
  }
  EXPECT_EQ(find_operator("", "NoSuchOperator"), nullptr);
  EXPECT_EQ(find_operator("com.example", "Identity"), nullptr);
}

}  // namespace
}  // namespace octet
