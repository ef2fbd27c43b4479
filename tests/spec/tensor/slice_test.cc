#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

// Of 0 1 2 3 4 5.
Floats slice(std::int64_t start, std::int64_t end, std::int64_t step) {
  return values<float>(run_operator(
      "Slice", 13, {}, {counting<float>({6}), int64s({start}), int64s({end}), int64s({0}), int64s({step})})[0]);
}

TEST(Slice, WalksForwards) {
  EXPECT_EQ(slice(1, 4, 1), (Floats{1, 2, 3}));
  EXPECT_EQ(slice(-2, INT64_MAX, 1), (Floats{4, 5}));
  EXPECT_EQ(slice(INT64_MIN, -3, 2), (Floats{0, 2}));
  EXPECT_EQ(slice(0, 6, 4), (Floats{0, 4}));
  EXPECT_EQ(slice(2, 5, INT64_MAX), (Floats{2}));
  EXPECT_EQ(slice(4, 2, 1), Floats());
  EXPECT_EQ(slice(7, 9, 1), Floats());
}

TEST(Slice, WalksBackwards) {
  EXPECT_EQ(slice(-1, INT64_MIN, -1), (Floats{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(slice(4, 0, -2), (Floats{4, 2}));
  EXPECT_EQ(slice(100, 3, -1), (Floats{5, 4}));
  EXPECT_EQ(slice(3, -100, INT64_MIN), (Floats{3}));
  EXPECT_EQ(slice(2, 4, -1), Floats());
}

TEST(Slice, CutsSeveralAxes) {
  const Tensor x = counting<float>({3, 4});
  const Tensor y =
      run_operator("Slice", 13, {}, {x, int64s({1, 0}), int64s({3, 4}), int64s({-1, 0}), int64s({1, 2})})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(values<float>(y), (Floats{1, 2, 9, 10}));
  EXPECT_EQ(values<float>(run_operator("Slice", 10, {}, {x, int64s({2}), int64s({3})})[0]), (Floats{8, 9, 10, 11}));
}

TEST(Slice, ReadsAttributesBeforeOpset10) {
  const AttributeList attributes = {{"starts", ints({1})}, {"ends", ints({-1})}, {"axes", ints({1})}};
  EXPECT_EQ(values<float>(run_operator("Slice", 1, attributes, {counting<float>({2, 4})})[0]), (Floats{1, 2, 5, 6}));
}

TEST(Slice, CutsWhatIsEmpty) {
  EXPECT_EQ(run_operator("Slice", 13, {}, {Tensor(DType::kFloat, {0, 2}), int64s({0}), int64s({1})})[0].shape(),
            (Shape{0, 2}));
}

TEST(Slice, InfersWhatItCan) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 6}), unknown = fact(DType::kInt64, SymbolicShape{1});
  const auto of = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return infer_operator(
               "Slice", 13, {},
               {x, Fact::of(int64s({start})), Fact::of(int64s({end})), Fact::of(int64s({0})), Fact::of(int64s({step}))})
        .shape;
  };
  EXPECT_EQ(of(0, INT64_MAX, 1), (SymbolicShape{n, 6}));
  EXPECT_EQ(of(0, INT32_MAX, 1), (SymbolicShape{n, 6}));
  EXPECT_EQ(of(-1, INT64_MIN, -1), (SymbolicShape{n, 6}));
  EXPECT_EQ(of(1, INT64_MAX, 1), (SymbolicShape{Dim(), 6}));
  EXPECT_EQ(infer_operator("Slice", 13, {}, {x, unknown, unknown}).shape, (SymbolicShape{Dim(), 6}));
  EXPECT_EQ(infer_operator("Slice", 13, {}, {x, unknown, unknown, unknown}).shape, SymbolicShape(2));
}

TEST(Slice, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {6}), zero = int64s({0}), two = int64s({0, 0});
  EXPECT_EQ(broken_constraint("Slice", 13, {}, {x, zero, two}), "slice_c1");
  EXPECT_EQ(broken_constraint("Slice", 13, {}, {x, zero, Tensor(DType::kFloat, {1})}), "slice_c1");
  EXPECT_EQ(broken_constraint("Slice", 1, {}, {x}), "slice_c1");
  EXPECT_EQ(broken_constraint("Slice", 13, {}, {x, zero, zero, int64s({1})}), "slice_c2");
  EXPECT_EQ(broken_constraint("Slice", 13, {}, {x, two, two, int64s({0, -1})}), "slice_c2");
  EXPECT_EQ(broken_constraint("Slice", 13, {}, {x, zero, zero, zero, zero}), "slice_c3");
}

}  // namespace
}  // namespace octet
