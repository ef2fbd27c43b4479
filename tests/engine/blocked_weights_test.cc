// Weights in blocks: what is on integers, and that every engine adds up the very numbers.
#include <gtest/gtest.h>

#include "tests/program/networks.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

std::string reason_for(const Program& program, std::string_view output) {
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      if (program.values[operation.outputs[0]].name == output) return step.reason;
  return "";
}

Model blocked(const std::vector<float>& scales, std::int64_t axis) {
  const Shape shape = axis == 0 ? Shape{2, 2} : Shape{4, 1};
  return network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear <axis: int = " + std::to_string(axis) +
          ", block_size: int = 2> (wq, ws)\n t = MatMul (a, w)\n y = QuantizeLinear (t, s, z) }",
      {value("x", DType::kInt8, SymbolicShape{1, 4})},
      {{"s", f(1)},
       {"z", s8(0)},
       {"wq", Tensor::from<std::int8_t>({4, 2}, {1, -2, 3, 4, 5, 6, -7, 8})},
       {"ws", Tensor::from<float>(shape, scales)}},
      21);
}

TEST(BlockedWeights, AreChannelsWhereBlocksAreAlike) {
  const Program columns = lowered(blocked({0.5F, 0.125F, 0.5F, 0.125F}, 0), Policy::kExact);
  ASSERT_EQ(operators_of(columns), (Names{"QLinearMatMul"}));
  EXPECT_EQ(sum_of(columns.steps[0].work)->w_scales, (std::vector{0.5F, 0.125F}));
  const Tensor x = Tensor::from<std::int8_t>({1, 4}, {9, -3, 2, 1});
  // 9 - 9 + 10 - 7 = 3 and -18 - 12 + 12 + 8 = -10, in halves and eighths
  EXPECT_TRUE(run_every_engine(columns, {{"x", x}}).at("y").identical(Tensor::from<std::int8_t>({1, 2}, {2, -1})));
  const Program along = lowered(blocked({0.5F, 0.5F, 0.5F, 0.5F}, 1), Policy::kExact);
  EXPECT_EQ(operators_of(along), (Names{"QLinearMatMul"}));
}

TEST(BlockedWeights, StayFloatWhereTheyDiffer) {
  EXPECT_EQ(
      reason_for(lowered(blocked({0.5F, 0.125F, 0.25F, 0.125F}, 0), Policy::kExact), "t"),
      "w has a scale for each block of 2 numbers: their sum is no multiple of one scale, and float32 rounds between "
      "the blocks");
}

}  // namespace
}  // namespace octet
