#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(PRelu, BroadcastsTheSlope) {
  const Tensor x = Tensor::from<float>({2, 2}, {-1, -2, 3, -4});
  EXPECT_EQ(values<float>(run_operator("PRelu", 16, {}, {x, Tensor::from<float>({2}, {2, 3})})[0]),
            (Floats{-2, -6, 3, -12}));
  EXPECT_EQ(values<float>(run_operator("PRelu", 7, {}, {x, Tensor::from<float>({2, 1}, {2, 3})})[0]),
            (Floats{-2, -4, 3, -12}));
}

TEST(PRelu, HasOneSlopePerChannelBeforeOpset7) {
  const Tensor x = Tensor::from<float>({1, 2, 2}, {-1, -2, -3, -4});
  EXPECT_EQ(values<float>(run_operator("PRelu", 6, {}, {x, Tensor::from<float>({2}, {1, 10})})[0]),
            (Floats{-1, -2, -30, -40}));
  EXPECT_EQ(values<float>(run_operator("PRelu", 1, {}, {x, Tensor::from<float>({1}, {2})})[0]),
            (Floats{-2, -4, -6, -8}));
}

TEST(PRelu, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 3});
  EXPECT_EQ(broken_constraint("PRelu", 16, {}, {x, Tensor(DType::kInt32, {1})}), "prelu_c1");
  EXPECT_EQ(broken_constraint("PRelu", 16, {}, {x, Tensor(DType::kFloat, {2})}), "prelu_c2");
  EXPECT_EQ(broken_constraint("PRelu", 16, {}, {x, Tensor(DType::kFloat, {1, 2, 3})}), "prelu_c2");
  EXPECT_EQ(broken_constraint("PRelu", 16, {}, {Tensor(DType::kFloat, {1}), Tensor(DType::kFloat, {3})}), "prelu_c2");
}

}  // namespace
}  // namespace octet
