#include "octet/verify/near_tie.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet {
namespace {

// y = round(x0 * 2 - x1 * 3 + 10) / 8 and round(x0 * 5 + x1 * 7 - 20) / 4, x less its zero point 3.
TEST(NearTie, KnowsTheExactSum) {
  const Program program = lowered(convolution(), Policy::kExact);
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2, 1, 2}, {3, 5, 3, 1})}};
  const std::optional<FloatResult> real = real_result(program, program.steps[0], inputs, Parallel(1));
  ASSERT_TRUE(real);
  EXPECT_EQ(real->exact, (std::vector<double>{10 / 8.0, (10 + 4 + 6) / 8.0, -20 / 4.0, (-20 + 10 - 14) / 4.0}));
  EXPECT_EQ(real->zero_point, -128);
  for (const double error : real->error) {
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 1e-4);
  }
}

TEST(NearTie, ExcusesOneStepAtATieOnly) {
  const FloatResult real{{2.5, 2.5001, 7.2}, {1e-5, 1e-5, 1e-5}, 10};
  EXPECT_TRUE(is_near_tie(real, 0, 12, 13));
  EXPECT_TRUE(is_near_tie(real, 0, 13, 12));
  EXPECT_FALSE(is_near_tie(real, 0, 12, 14));  // two steps
  EXPECT_FALSE(is_near_tie(real, 0, 13, 14));  // another tie
  EXPECT_FALSE(is_near_tie(real, 1, 12, 13));  // too far from it
  EXPECT_FALSE(is_near_tie(real, 2, 17, 18));
}

TEST(NearTie, FollowsNumbersThroughMoves) {
  const Program program =
      lowered(convolution({"m", " m = Transpose <perm: ints = [3, 1, 2, 0]> (t)\n"}), Policy::kExact);
  const FloatResult real{{1, 2, 3, 4}, {0.1, 0.2, 0.3, 0.4}, 5};
  const std::optional<FloatResult> moved = moved_result(program, program.steps.at(1), {1, 2, 1, 2}, real, Parallel(1));
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->exact, (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(moved->error, (std::vector<double>{0.1, 0.3, 0.2, 0.4}));
  EXPECT_EQ(moved->zero_point, 5);
  EXPECT_FALSE(moved_result(program, program.steps.at(0), {1, 2, 1, 2}, real, Parallel(1)));
}

TEST(NearTie, GivesTablesNoFreedom) {
  const Program program = lowered(
      network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = Tanh (a)\n y = QuantizeLinear (t, s, z) }",
              {value("x", DType::kInt8, SymbolicShape{2})}, {{"s", f(0.1F)}, {"z", s8(0)}}),
      Policy::kExact);
  EXPECT_FALSE(real_result(program, program.steps[0], {{"x", Tensor(DType::kInt8, {2})}}, Parallel(1)));
}

}  // namespace
}  // namespace octet
