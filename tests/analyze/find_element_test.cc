#include "octet/analyze/find_element.h"

#include <gtest/gtest.h>

#include "tests/analyze/network.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

TEST(ParseElement, SplitsAtTheLastBracket) {
  EXPECT_EQ(parse_element("conv1[0,5,7,9]").tensor, "conv1");
  EXPECT_EQ(parse_element("conv1[0, 5,7,9]").index, (Shape{0, 5, 7, 9}));
  EXPECT_EQ(parse_element("a[0]/b:1[2]").tensor, "a[0]/b:1");
  EXPECT_EQ(parse_element("total[]").index, Shape{});
  EXPECT_EQ(parse_element("x[-1]").index, Shape{-1});
}

TEST(ParseElement, RefusesAnythingElse) {
  for (const char* text : {"", "conv1", "[0]", "conv1[0", "conv1[a]", "conv1[0,]", "conv1[0,,1]", "conv1[0;1]",
                           "conv1[0]]", "conv1[99999999999999999999]", "conv1[1.5]"}) {
    const Error error = failure_of([&] { parse_element(text); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage) << text;
  }
}

// x -> DequantizeLinear -> Relu -> QuantizeLinear -> y, which fuses to a table, and a constant part.
Network table() {
  Network n;
  n.input("x", DType::kUint8, {4});
  n.node("DequantizeLinear", {"x", n.scale("s", 0.1F)}, "real");
  n.node("Relu", {"real"}, "relu");
  n.node("Add", {"s", "s"}, "twice");
  n.node("QuantizeLinear", {"relu", "twice"}, "y_quantized");
  n.model().graph.outputs = {value("y_quantized", {}, std::nullopt)};
  return n;
}

std::string refusal(const Model& model, Policy policy, const std::string& tensor) {
  return failure_of([&] { step_that_makes(lowered(model, policy), model, tensor); }).message();
}

TEST(StepThatMakes, FindsTheStep) {
  const Model model = table().model();
  EXPECT_EQ(step_that_makes(lowered(model, Policy::kExact), model, "y_quantized"), 0U);
  EXPECT_EQ(step_that_makes(lowered(model, Policy::kAsWritten), model, "relu"), 1U);
}

TEST(StepThatMakes, OffersTheClosestNames) {
  EXPECT_EQ(refusal(table().model(), Policy::kAsWritten, "relv"),
            "there is no tensor relv; the closest are relu, real, twice");
}

TEST(StepThatMakes, SaysWhichStepSwallowedATensor) {
  const Model model = table().model();
  EXPECT_EQ(
      refusal(model, Policy::kExact, "relu"),
      "the program does not compute relu: relu_node (Relu) is part of step relu_node (table); ask for y_quantized, "
      "or keep every node with the policy as-written");
  EXPECT_EQ(refusal(model, Policy::kExact, "twice"),
            "the program does not compute twice: twice_node (Add) was folded into a constant, or nobody reads it; the "
            "policy as-written keeps every node");
}

TEST(StepThatMakes, KnowsStepsByTheirNames) {
  EXPECT_EQ(refusal(table().model(), Policy::kExact, "relu_node"),
            "there is no tensor relu_node, but a step of that name: ask for y_quantized");
}

TEST(StepThatMakes, KnowsNodesByTheirNames) {
  EXPECT_EQ(refusal(table().model(), Policy::kExact, "real_node"),
            "there is no tensor real_node, but a node (DequantizeLinear) of that name in step relu_node: ask for "
            "y_quantized");
}

TEST(StepThatMakes, SaysWhatIsNotComputed) {
  const Model model = table().model();
  EXPECT_EQ(refusal(model, Policy::kExact, "x"), "x is an input of the model: nothing computes it");
  EXPECT_EQ(refusal(model, Policy::kAsWritten, "s"), "s is a constant of the model: nothing computes it");
}

}  // namespace
}  // namespace octet
