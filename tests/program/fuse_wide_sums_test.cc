// Sums of 16 bits as sums of bytes: when, in which type they are joined, and who makes the bytes. tests/judge/wide_sums.py and
// random_network.py have what they compute.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/networks.h"

namespace octet {
namespace {

struct WideParts {
  std::vector<std::int16_t> weights = {1};
  float y_scale = 1;
  float bias = 0;
  bool to_float = false;  // nothing is quantized behind
};

// int16 [1,K] times int16 [K,1], plus a float bias, perhaps back to int16; scales 1, zero points 0.
Model wide_product(const WideParts& parts) {
  const auto k = static_cast<std::int64_t>(parts.weights.size());
  return network(
      std::string("main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n") +
          (parts.to_float ? " y = Gemm (a, w, b) }" : " t = Gemm (a, w, b)\n y = QuantizeLinear (t, ys, z) }"),
      {value("x", DType::kInt16, SymbolicShape{1, k})},
      {{"s", f(1)},
       {"z", Tensor::scalar<std::int16_t>(0)},
       {"ys", f(parts.y_scale)},
       {"b", Tensor::from<float>({1}, {parts.bias})},
       {"wq", Tensor::from<std::int16_t>({k, 1}, parts.weights)}},
      21);
}

// What the step that joins the sums says; empty without one.
std::string joining(const WideParts& parts) {
  for (const Step& step : lowered(wide_product(parts), Policy::kExact).steps)
    if (step.reason.starts_with("joins")) return step.reason;
  return "";
}

TEST(FuseWideSums, JoinInInt32WhereItHoldsEverySum) {
  const auto joined_in = [](std::int16_t last) {
    const std::string reason = joining({.weights = {-32768, last}, .to_float = true});
    return reason.substr(reason.find(", in int"), 10);
  };
  EXPECT_EQ(joined_in(32767), ", in int32");   // up to 2^30 + 32767^2 = 2,147,418,113
  EXPECT_EQ(joined_in(-32768), ", in int64");  // 2^31
}

// E is 9 * 2^-24 * (32768 + |bias|) = 0.0176 without a bias.
TEST(FuseWideSums, WantAnErrorBelowOneStepOfTheResult) {
  EXPECT_NE(joining({.y_scale = 0.018F}), "");
  EXPECT_EQ(joining({.y_scale = 0.017F}), "");
  EXPECT_EQ(joining({.y_scale = 0.018F, .bias = -32768}), "");
  EXPECT_NE(joining({.y_scale = 0.036F, .bias = -32768}), "");
}

// Two sums of one x share its bytes.
TEST(FuseWideSums, TakeANumberApartOnce) {
  Model model = wide_product({.to_float = true});
  Node second = model.graph.nodes.back();
  second.name = "second";
  second.outputs = {"v"};
  model.graph.nodes.push_back(second);
  model.graph.outputs.push_back(value("v", DType::kFloat, SymbolicShape{1, 1}));
  const Names names = operators_of(lowered(model, Policy::kExact));
  EXPECT_EQ(std::ranges::count(names, "Mod"), 1);
  EXPECT_EQ(std::ranges::count(names, "MatMulInteger"), 8);
}

// The work of the steps around the sums: int16 times int16, with a bias.
TEST(FuseWideSums, HaveTheirWork) {
  const Program program =
      lowered(wide_product({.weights = {-32768, -32768}, .bias = 2.5F, .to_float = true}), Policy::kExact);
  const auto* split = std::get_if<work::SplitBytes>(&program.steps.front().work);
  ASSERT_NE(split, nullptr) << program.steps.front().opaque;
  EXPECT_EQ(program.values[split->x].name, "x");
  const auto* join = std::get_if<work::JoinedSum>(&program.steps.back().work);
  ASSERT_NE(join, nullptr) << program.steps.back().opaque;
  EXPECT_TRUE(joins_partial_sums(program.steps.back().work));
  std::vector<std::int64_t> factors;
  for (const work::JoinedSum::Part& part : join->parts) factors.push_back(part.factor);
  EXPECT_EQ(factors, (std::vector<std::int64_t>{65536, 256, 256, 1}));
  EXPECT_EQ(join->type, DType::kInt64);
  EXPECT_EQ(join->multipliers, std::vector<float>{1});
  EXPECT_EQ(join->bias, std::vector<float>{2.5F});
  EXPECT_EQ(join->axis, 1);
  EXPECT_EQ(program.values[join->y].name, "y");
}

}  // namespace
}  // namespace octet
