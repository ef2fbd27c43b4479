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

}  // namespace
}  // namespace octet
