#include "octet/program/known_values.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

const Constants kParts = {{"zero", Tensor::from<std::int64_t>({}, {0})},
                          {"axes", Tensor::from<std::int64_t>({1}, {0})},
                          {"rest", Tensor::from<std::int64_t>({1}, {-1})}};

// As exporters write Flatten.
Program flattened(const SymbolicShape& x, const std::string& outputs = "(y)") {
  const std::string text = "main (x) => " + outputs +
                           " { s = Shape (x)\n n = Gather (s, zero)\n u = Unsqueeze (n, axes)\n"
                           " r = Concat <axis: int = 0> (u, rest)\n y = Reshape (x, r) }";
  return lowered(network(text, {value("x", DType::kFloat, x)}, kParts), Policy::kExact);
}

std::vector<std::string> operators_left(const Program& program) {
  std::vector<std::string> names;
  for (const Step& step : program.steps) names.emplace_back(step.operations.front().op->name);
  return names;
}

TEST(KnownValues, AreConstants) {
  const Program program = consistent(with_known_values(flattened({7, 2, 3})));
  EXPECT_EQ(operators_left(program), std::vector<std::string>{"Reshape"});
  const Tensor& shape = find_value(program, "r")->constant;
  EXPECT_EQ(std::vector<std::int64_t>(shape.as<std::int64_t>().begin(), shape.as<std::int64_t>().end()),
            (std::vector<std::int64_t>{7, -1}));
}

TEST(KnownValues, AreComputedWhereTheyAreWantedOrShapesAreOpen) {
  EXPECT_EQ(operators_left(consistent(with_known_values(flattened({7, 2, 3}, "(s, y)")))),
            (std::vector<std::string>{"Shape", "Reshape"}));
  EXPECT_EQ(with_known_values(flattened({N(), 2, 3})).steps.size(), 5U);
}

TEST(FloatConstants, AreTheWeightsOfFloatLayers) {
  const Program program =
      lowered(network("main (x) => (y) { w = DequantizeLinear (q, scale)\n y = MatMul (x, w) }",
                      {value("x", DType::kFloat, SymbolicShape{2, 2})},
                      {{"q", Tensor::from<std::int8_t>({2, 2}, {1, -2, 3, -128})}, {"scale", Tensor::scalar(0.5F)}}),
              Policy::kExact);
  ASSERT_EQ(operators_left(program), (std::vector<std::string>{"DequantizeLinear", "MatMul"}));
  const Program folded = consistent(with_float_constants(program));
  EXPECT_EQ(operators_left(folded), std::vector<std::string>{"MatMul"});
  const auto weights = find_value(folded, "w")->constant.as<float>();
  EXPECT_EQ(std::vector<float>(weights.begin(), weights.end()), (std::vector<float>{0.5F, -1, 1.5F, -64}));
  EXPECT_TRUE(computes_in_float(folded.steps[0].work));
  const Program wanted =
      lowered(network("main (x) => (w) { w = DequantizeLinear (q, scale)\n y = MatMul (x, w) }",
                      {value("x", DType::kFloat, SymbolicShape{2, 2})},
                      {{"q", Tensor::from<std::int8_t>({2, 2}, {1, -2, 3, -128})}, {"scale", Tensor::scalar(0.5F)}}),
              Policy::kExact);
  EXPECT_EQ(operators_left(consistent(with_float_constants(wanted))), operators_left(wanted)) << "an output";
}

}  // namespace
}  // namespace octet
