#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Norms = std::vector<float>;

Tensor numbers(Shape shape, const Norms& elements) { return Tensor::from<float>(std::move(shape), elements); }

TEST(LpNormalization, DividesByTheNorm) {
  const Tensor x = numbers({2, 2}, {3, -4, 0, 0});
  EXPECT_EQ(values<float>(run_operator("LpNormalization", 22, {}, {x})[0]), (Norms{0.6F, -0.8F, 0, 0}));
  EXPECT_EQ(values<float>(run_operator("LpNormalization", 1, {{"p", 1L}}, {x})[0]), (Norms{3.0F / 7, -4.0F / 7, 0, 0}));
  EXPECT_EQ(values<float>(run_operator("LpNormalization", 1, {{"axis", 0L}}, {x})[0]), (Norms{1, -1, 0, 0}));
}

TEST(LpNormalization, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("LpNormalization", 1, {}, {Tensor(DType::kInt32, {2})}), "lp_normalization_c1");
  EXPECT_EQ(broken_constraint("LpNormalization", 1, {{"p", 3L}}, {numbers({1}, {1})}), "lp_normalization_c2");
  EXPECT_EQ(broken_constraint("LpNormalization", 1, {{"axis", 1L}}, {numbers({1}, {1})}), "lp_normalization_c3");
}

TEST(LpPool, AddsPowersOverTheWindow) {
  const AttributeList pairs = {{"kernel_shape", ints({2})}};
  const Tensor x = numbers({1, 1, 3}, {3, -4, 0});
  EXPECT_EQ(values<float>(run_operator("LpPool", 18, pairs, {x})[0]), (Norms{5, 4}));
  EXPECT_EQ(values<float>(run_operator("LpPool", 2, {{"kernel_shape", ints({3})}, {"p", 1L}}, {x})[0]), (Norms{7}));
  const AttributeList padded = {{"kernel_shape", ints({2})}, {"pads", ints({1, 0})}};
  EXPECT_EQ(values<float>(run_operator("LpPool", 18, padded, {x})[0]), (Norms{3, 5, 4}));
}

TEST(LpPool, ChecksItsConstraints) {
  const Tensor x = numbers({1, 1, 3}, {3, -4, 0});
  EXPECT_EQ(broken_constraint("LpPool", 18, {}, {Tensor(DType::kInt8, {1, 1, 3})}), "lp_pool_c1");
  EXPECT_EQ(broken_constraint("LpPool", 18, {}, {x}), "lp_pool_c2");
  EXPECT_EQ(broken_constraint("LpPool", 18, {{"kernel_shape", ints({2})}, {"p", 0L}}, {x}), "lp_pool_c3");
}

TEST(GlobalLpPool, AddsPowersOverThePlane) {
  const Tensor x = numbers({1, 2, 2}, {3, -4, 5, 12});
  EXPECT_EQ(values<float>(run_operator("GlobalLpPool", 22, {}, {x})[0]), (Norms{5, 13}));
  EXPECT_EQ(broken_constraint("GlobalLpPool", 2, {}, {Tensor(DType::kInt8, {1, 1, 3})}), "global_lp_pool_c1");
  EXPECT_EQ(broken_constraint("GlobalLpPool", 2, {}, {Tensor(DType::kFloat, {1, 1, 0})}), "global_lp_pool_c2");
  EXPECT_EQ(broken_constraint("GlobalLpPool", 2, {{"p", -1L}}, {x}), "global_lp_pool_c3");
}

TEST(LRN, DividesByTheSquaresOfNeighbouringChannels) {
  const AttributeList simple = {{"size", 3L}, {"alpha", 3.0F}, {"beta", 1.0F}};
  const Tensor x = numbers({1, 3, 1}, {1, 2, 3});
  EXPECT_EQ(values<float>(run_operator("LRN", 13, simple, {x})[0]), (Norms{1.0F / 6, 2.0F / 15, 3 * (1.0F / 14)}));
  // An even size reaches one channel further up.
  const AttributeList even = {{"size", 2L}, {"alpha", 2.0F}, {"beta", 1.0F}};
  EXPECT_EQ(values<float>(run_operator("LRN", 1, even, {x})[0]), (Norms{1.0F / 6, 2.0F / 14, 3 * (1.0F / 10)}));
  EXPECT_EQ(run_operator("LRN", 13, {{"size", 1L << 62}}, {x})[0].shape(), x.shape());
}

// 25010001 is no float32: 25010000 enters the window and leaves it again, and 8 are left of 1 + 3 * 3.
TEST(LRN, CarriesTheSumFromChannelToChannel) {
  const AttributeList alone = {{"size", 1L}, {"alpha", 1.0F}, {"beta", 1.0F}};
  EXPECT_EQ(values<float>(run_operator("LRN", 13, alone, {numbers({1, 2, 1}, {5001, 3})})[0])[1], 0.375F);
}

TEST(LRN, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("LRN", 13, {{"size", 1L}}, {Tensor(DType::kInt8, {1, 1})}), "lrn_c1");
  EXPECT_EQ(broken_constraint("LRN", 13, {}, {Tensor(DType::kFloat, {1, 1})}), "lrn_c2");
  EXPECT_EQ(broken_constraint("LRN", 13, {{"size", 1L}}, {Tensor(DType::kFloat, {1})}), "lrn_c3");
}

TEST(Hardmax, MarksTheFirstOfTheLargest) {
  const Tensor x = numbers({2, 2, 2}, {1, 3, 3, 0, 2, 2, 5, 1});
  EXPECT_EQ(values<float>(run_operator("Hardmax", 13, {}, {x})[0]), (Norms{0, 1, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(values<float>(run_operator("Hardmax", 11, {}, {x})[0]), (Norms{0, 1, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(broken_constraint("Hardmax", 13, {}, {Tensor(DType::kInt8, {2})}), "hardmax_c1");
  EXPECT_EQ(broken_constraint("Hardmax", 13, {{"axis", 3L}}, {x}), "hardmax_c2");
}

}  // namespace
}  // namespace octet
