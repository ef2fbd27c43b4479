#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Softmax, SharesOutOne) {
  // exp(0) : exp(log 3) = 1 : 3, whatever is added to both.
  const Tensor x = Tensor::from<float>({2, 2}, {0, 1.0986123F, 1000, 1001.0986F});
  const Floats y = values<float>(run_operator("Softmax", 13, {}, {x})[0]);
  EXPECT_NEAR(y[0], 0.25F, 1e-6);
  EXPECT_NEAR(y[1], 0.75F, 1e-6);
  EXPECT_NEAR(y[2], 0.25F, 1e-4);
}

TEST(Softmax, FlattensBeforeOpset13) {
  const Tensor x(DType::kFloat, {1, 2, 2});
  EXPECT_EQ(values<float>(run_operator("Softmax", 11, {}, {x})[0]), (Floats{0.25F, 0.25F, 0.25F, 0.25F}));
  EXPECT_EQ(values<float>(run_operator("Softmax", 13, {{"axis", 1L}}, {x})[0]), (Floats{0.5F, 0.5F, 0.5F, 0.5F}));
}

TEST(Softmax, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Softmax", 13, {}, {counting<std::int32_t>({2})}), "softmax_c1");
  EXPECT_EQ(broken_constraint("Softmax", 13, {{"axis", 1L}}, {counting<float>({2})}), "softmax_c2");
}

TEST(LogSoftmax, IsTheLogarithmWithoutItsLoss) {
  // The softmax of the second is 0 in float32; its logarithm is -200.
  const Tensor x = Tensor::from<float>({2}, {200, 0});
  EXPECT_EQ(values<float>(run_operator("LogSoftmax", 13, {}, {x})[0]), (Floats{0, -200}));
}

TEST(LogSoftmax, FlattensBeforeOpset13) {
  const Tensor y = run_operator("LogSoftmax", 1, {}, {Tensor(DType::kDouble, {1, 2, 2})})[0];
  EXPECT_NEAR(y.number_at(0), -1.3862943611198906, 1e-15);
}

TEST(LogSoftmax, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("LogSoftmax", 13, {}, {counting<std::int32_t>({2})}), "log_softmax_c1");
  EXPECT_EQ(broken_constraint("LogSoftmax", 13, {{"axis", -2L}}, {counting<float>({2})}), "log_softmax_c2");
}

}  // namespace
}  // namespace octet
