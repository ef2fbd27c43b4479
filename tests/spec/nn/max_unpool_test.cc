#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor pooled() { return Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4}); }
Tensor where(std::initializer_list<std::int64_t> indices) { return int64s({1, 1, 2, 2}, indices); }
AttributeList pairs() { return {{"kernel_shape", ints({2, 2})}, {"strides", ints({2, 2})}}; }

TEST(MaxUnpool, PutsElementsBack) {
  const Tensor y = run_operator("MaxUnpool", 9, pairs(), {pooled(), where({5, 7, 13, 15})})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 1, 4, 4}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4}));
}

TEST(MaxUnpool, CountsTheElementsOfTheOutput) {
  const Tensor shape = int64s({1, 1, 2, 3});
  const Tensor y = run_operator("MaxUnpool", 22, pairs(), {pooled(), where({0, 2, 3, 5}), shape})[0];
  EXPECT_EQ(values<float>(y), (std::vector<float>{1, 0, 2, 3, 0, 4}));
}

TEST(MaxUnpool, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return broken_constraint("MaxUnpool", 9, attributes, inputs);
  };
  EXPECT_EQ(broken(pairs(), {pooled(), Tensor(DType::kInt64, {1, 1, 2, 3})}), "max_unpool_c1");
  EXPECT_EQ(broken({}, {pooled(), where({0, 1, 2, 3})}), "max_unpool_c2");
  EXPECT_EQ(broken({{"kernel_shape", ints({0, 2})}}, {pooled(), where({0, 1, 2, 3})}), "max_unpool_c2");
  EXPECT_EQ(broken({{"kernel_shape", ints({1, 1})}, {"pads", ints({9, 9, 9, 9})}}, {pooled(), where({0, 1, 2, 3})}),
            "max_unpool_c2");
  EXPECT_EQ(broken(pairs(), {pooled(), where({0, 1, 2, 3}), int64s({4, 4})}), "max_unpool_c3");
  EXPECT_EQ(broken(pairs(), {pooled(), where({0, 1, 2, 16})}), "max_unpool_c4");
  EXPECT_EQ(broken(pairs(), {pooled(), where({-1, 1, 2, 3})}), "max_unpool_c4");
}

}  // namespace
}  // namespace octet
