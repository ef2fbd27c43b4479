// Operators that keep the elements and change the shape: Reshape, Flatten, Squeeze, Unsqueeze.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

Dim n() { return Dim::symbol("N"); }
Dim m() { return Dim::symbol("M"); }

Shape reshaped(const Shape& x, const std::vector<std::int64_t>& shape, std::int64_t allow_zero = 0) {
  return run_operator("Reshape", 14, {{"allowzero", allow_zero}}, {Tensor(DType::kFloat, x), int64s(shape)})[0].shape();
}

std::optional<SymbolicShape> reshaped_to(const SymbolicShape& x, std::vector<Dim> shape) {
  Fact requested = fact(DType::kInt64, SymbolicShape{static_cast<std::int64_t>(shape.size())});
  requested.elements = std::move(shape);
  return infer_operator("Reshape", 14, {}, {fact(DType::kFloat, x), requested}).shape;
}

TEST(Reshape, KeepsTheElementsInOrder) {
  const Tensor y = run_operator("Reshape", 5, {}, {counting<float>({2, 3}), int64s({3, 2})})[0];
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Reshape, CopiesAndComputesDimensions) {
  EXPECT_EQ(reshaped({2, 3, 4}, {0, -1}), (Shape{2, 12}));
  EXPECT_EQ(reshaped({2, 3, 4}, {-1, 0, 2, 2}), (Shape{2, 3, 2, 2}));
  EXPECT_EQ(reshaped({2, 3, 4}, {4, 2, 3}), (Shape{4, 2, 3}));
  EXPECT_EQ(reshaped({0, 3}, {0, -1}), (Shape{0, 3}));
  EXPECT_EQ(reshaped({0, 3, 4}, {3, 4, 0}, 1), (Shape{3, 4, 0}));
  EXPECT_EQ(reshaped({1}, {}), (Shape{}));
}

TEST(Reshape, ReadsItsShapeFromAnAttributeInOpset1) {
  EXPECT_EQ(run_operator("Reshape", 1, {{"shape", ints({-1, 2})}}, {Tensor(DType::kFloat, {2, 3})})[0].shape(),
            (Shape{3, 2}));
}

TEST(Reshape, MovesAnyType) {
  EXPECT_EQ(run_operator("Reshape", 21, {}, {Tensor(DType::kInt4, {4}), int64s({2, 2})})[0].dtype(), DType::kInt4);
  const Tensor words = Tensor::from_strings({2}, {"a", "b"});
  EXPECT_EQ(run_operator("Reshape", 21, {}, {words, int64s({2, 1})})[0].strings()[1], "b");
}

TEST(Reshape, CancelsEqualSymbols) {
  EXPECT_EQ(reshaped_to({n(), 10}, {-1, 10}), (SymbolicShape{n(), 10}));
  EXPECT_EQ(reshaped_to({n(), 64, 1, 1}, {n(), -1}), (SymbolicShape{n(), 64}));
  EXPECT_EQ(reshaped_to({n(), 8, m()}, {n(), m(), -1, 2}), (SymbolicShape{n(), m(), 4, 2}));
  EXPECT_EQ(reshaped_to({n(), 8, m()}, {n(), -1, 4, 2}), (SymbolicShape{n(), m(), 4, 2}));
  EXPECT_EQ(reshaped_to({Dim(), 12}, {0, 3, -1}), (SymbolicShape{Dim(), 3, 4}));
}

TEST(Reshape, SaysNothingItDoesNotKnow) {
  EXPECT_EQ(reshaped_to({n(), 4}, {-1, 8}), (SymbolicShape{Dim(), 8}));
  EXPECT_EQ(reshaped_to({n(), 4}, {m(), -1}), (SymbolicShape{m(), Dim()}));
  EXPECT_EQ(reshaped_to({n(), 4}, {Dim(), -1}), (SymbolicShape{Dim(), Dim()}));
  EXPECT_EQ(reshaped_to({n(), 8, Dim()}, {0, -1, 4, 2}), (SymbolicShape{n(), Dim(), 4, 2}));
  const Fact x = fact(DType::kFloat, SymbolicShape{n(), 4}), unknown = fact(DType::kFloat, std::nullopt);
  EXPECT_EQ(infer_operator("Reshape", 14, {}, {x, fact(DType::kInt64, SymbolicShape{3})}).shape, SymbolicShape(3));
  EXPECT_EQ(infer_operator("Reshape", 14, {}, {x, fact(DType::kInt64, std::nullopt)}).shape, std::nullopt);
  EXPECT_EQ(infer_operator("Reshape", 14, {}, {unknown, Fact::of(int64s({0, -1, 5}))}).shape,
            (SymbolicShape{Dim(), Dim(), 5}));
}

TEST(Reshape, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 3});
  const auto broken = [&](const std::vector<std::int64_t>& shape, std::int64_t allow_zero = 0) {
    return broken_constraint("Reshape", 14, {{"allowzero", allow_zero}}, {x, int64s(shape)});
  };
  EXPECT_EQ(broken_constraint("Reshape", 14, {}, {x, Tensor::from<std::int32_t>({1}, {6})}), "reshape_c1");
  EXPECT_EQ(broken_constraint("Reshape", 14, {}, {x, Tensor::scalar<std::int64_t>(6)}), "reshape_c1");
  EXPECT_EQ(broken({-1, -1}), "reshape_c2");
  EXPECT_EQ(broken({-2, 3}), "reshape_c2");
  EXPECT_EQ(broken({0, -1}, 1), "reshape_c2");
  EXPECT_EQ(broken({2, 3, 0}), "reshape_c3");
  EXPECT_EQ(broken({7}), "reshape_c4");
  EXPECT_EQ(broken({-1, 4}), "reshape_c4");
  EXPECT_EQ(broken({0, 0}, 1), "reshape_c4");
}

TEST(Reshape, RefusesShapesThatOverflow) {
  EXPECT_EQ(failure_of([] { reshaped({2, 3}, {INT64_MAX, INT64_MAX}); }).code(), ErrorCode::kLimit);
}

TEST(Flatten, MakesAMatrix) {
  const auto flattened = [](std::int64_t axis) {
    return run_operator("Flatten", 13, {{"axis", axis}}, {Tensor(DType::kFloat, {2, 3, 4})})[0].shape();
  };
  EXPECT_EQ(flattened(0), (Shape{1, 24}));
  EXPECT_EQ(flattened(1), (Shape{2, 12}));
  EXPECT_EQ(flattened(3), (Shape{24, 1}));
  EXPECT_EQ(flattened(-1), (Shape{6, 4}));
  EXPECT_EQ(infer_operator("Flatten", 13, {}, {fact(DType::kFloat, SymbolicShape{n(), 64, 1, 1})}).shape,
            (SymbolicShape{n(), 64}));
  EXPECT_EQ(infer_operator("Flatten", 13, {}, {fact(DType::kFloat, std::nullopt)}).shape, SymbolicShape(2));
  EXPECT_EQ(broken_constraint("Flatten", 13, {{"axis", 4L}}, {Tensor(DType::kFloat, {2, 3, 4})}), "flatten_c1");
}

TEST(Squeeze, LeavesOutAxesOfLengthOne) {
  const Tensor x(DType::kFloat, {1, 3, 1, 5});
  EXPECT_EQ(run_operator("Squeeze", 13, {}, {x})[0].shape(), (Shape{3, 5}));
  EXPECT_EQ(run_operator("Squeeze", 13, {}, {x, int64s({-2})})[0].shape(), (Shape{1, 3, 5}));
  EXPECT_EQ(run_operator("Squeeze", 11, {{"axes", ints({0})}}, {x})[0].shape(), (Shape{3, 1, 5}));
}

TEST(Squeeze, InfersWhatItCan) {
  const Fact x = fact(DType::kFloat, SymbolicShape{n(), 1, Dim()});
  EXPECT_EQ(infer_operator("Squeeze", 13, {}, {x, Fact::of(int64s({1}))}).shape, (SymbolicShape{n(), Dim()}));
  EXPECT_EQ(infer_operator("Squeeze", 13, {}, {x}).shape, std::nullopt);
  EXPECT_EQ(infer_operator("Squeeze", 13, {}, {x, fact(DType::kInt64, SymbolicShape{1})}).shape, std::nullopt);
}

TEST(Squeeze, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {1, 3});
  EXPECT_EQ(broken_constraint("Squeeze", 13, {}, {x, int64s({2})}), "squeeze_c1");
  EXPECT_EQ(broken_constraint("Squeeze", 13, {}, {x, int64s({0, -2})}), "squeeze_c1");
  EXPECT_EQ(broken_constraint("Squeeze", 13, {}, {x, int64s({1})}), "squeeze_c2");
}

TEST(Squeeze, RefusesAxesThatAreNotIntegers) {
  const Tensor x(DType::kFloat, {1, 3}), huge = Tensor::from<float>({1}, {1e30F});
  EXPECT_EQ(failure_of([&] { run_operator("Squeeze", 13, {}, {x, huge}); }).code(), ErrorCode::kModel);
}

TEST(Unsqueeze, InsertsAxesOfLengthOne) {
  const Tensor x(DType::kFloat, {3, 4});
  EXPECT_EQ(run_operator("Unsqueeze", 13, {}, {x, int64s({0})})[0].shape(), (Shape{1, 3, 4}));
  EXPECT_EQ(run_operator("Unsqueeze", 13, {}, {x, int64s({-1, 1})})[0].shape(), (Shape{3, 1, 4, 1}));
  EXPECT_EQ(run_operator("Unsqueeze", 1, {{"axes", ints({2})}}, {x})[0].shape(), (Shape{3, 4, 1}));
}

TEST(Unsqueeze, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {3});
  EXPECT_EQ(broken_constraint("Unsqueeze", 13, {}, {x, int64s({2})}), "unsqueeze_c1");
  EXPECT_EQ(broken_constraint("Unsqueeze", 13, {}, {x, int64s({1, 1})}), "unsqueeze_c1");
  EXPECT_EQ(broken_constraint("Unsqueeze", 11, {}, {x}), "unsqueeze_c1");
}

}  // namespace
}  // namespace octet
