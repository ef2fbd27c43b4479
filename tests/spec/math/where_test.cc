#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

TEST(Where, ChoosesAndBroadcasts) {
  const Tensor condition = Tensor::from<bool>({2, 1}, {true, false});
  const Tensor y = run_operator("Where", 16, {}, {condition, counting<float>({3}), Tensor::scalar(9.0F)})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{0, 1, 2, 9, 9, 9}));
}

TEST(Where, MovesAnyType) {
  const Tensor condition = Tensor::from<bool>({2}, {true, false});
  const Tensor a = Tensor::from_strings({2}, {"a", "b"}), b = Tensor::from_strings({2}, {"c", "d"});
  EXPECT_EQ(run_operator("Where", 9, {}, {condition, a, b})[0].strings(), (std::vector<std::string>{"a", "d"}));
  const Tensor halves(DType::kFloat16, {2});
  EXPECT_EQ(run_operator("Where", 9, {}, {condition, halves, halves})[0].dtype(), DType::kFloat16);
}

TEST(Where, ChoosesDimensions) {
  const Dim n = Dim::symbol("N");
  Fact shape = fact(DType::kInt64, SymbolicShape{3});
  shape.elements = std::vector<Dim>{n, 2, 3};
  const Fact condition = Fact::of(Tensor::from<bool>({3}, {true, false, true}));
  EXPECT_EQ(infer_operator("Where", 16, {}, {condition, shape, Fact::of(Tensor::scalar<std::int64_t>(7))}).elements,
            (std::vector<Dim>{n, 7, 3}));
}

TEST(Where, ChecksItsConstraints) {
  const Tensor condition(DType::kBool, {2}), x(DType::kFloat, {2});
  EXPECT_EQ(broken_constraint("Where", 16, {}, {x, x, x}), "where_c1");
  EXPECT_EQ(broken_constraint("Where", 16, {}, {condition, x, Tensor(DType::kDouble, {2})}), "where_c1");
  EXPECT_EQ(broken_constraint("Where", 16, {}, {condition, x, Tensor(DType::kFloat, {3})}), "where_c2");
}

}  // namespace
}  // namespace octet
