// ArgMax, ArgMin and TopK.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;
using Indices = std::vector<std::int64_t>;

TEST(ArgMax, TakesTheFirstOfEqualsOrTheLast) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 5, 5, 7, 7, 2});
  EXPECT_EQ(values<std::int64_t>(run_operator("ArgMax", 11, {{"axis", 1L}}, {x})[0]), (Indices{1, 0}));
  EXPECT_EQ(values<std::int64_t>(run_operator("ArgMax", 12, {{"axis", -1L}, {"select_last_index", 1L}}, {x})[0]),
            (Indices{2, 1}));
}

TEST(ArgMax, KeepsTheAxisUnlessTold) {
  const Tensor x = counting<std::uint8_t>({2, 3});
  EXPECT_EQ(run_operator("ArgMax", 1, {}, {x})[0].shape(), (Shape{1, 3}));
  const Tensor y = run_operator("ArgMax", 13, {{"keepdims", 0L}}, {x})[0];
  EXPECT_EQ(y.shape(), Shape{3});
  EXPECT_EQ(values<std::int64_t>(y), (Indices{1, 1, 1}));
}

TEST(ArgMax, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("ArgMax", 13, {}, {Tensor(DType::kBool, {2})}), "arg_max_c1");
  EXPECT_EQ(broken_constraint("ArgMax", 13, {{"axis", 1L}}, {counting<float>({2})}), "arg_max_c2");
  EXPECT_EQ(broken_constraint("ArgMax", 13, {}, {Tensor(DType::kFloat, {0, 2})}), "arg_max_c2");
}

TEST(ArgMin, FindsTheMinimum) {
  const Tensor x = Tensor::from<std::int32_t>({4}, {3, 1, 1, 2});
  EXPECT_EQ(values<std::int64_t>(run_operator("ArgMin", 13, {}, {x})[0]), (Indices{1}));
  EXPECT_EQ(values<std::int64_t>(run_operator("ArgMin", 13, {{"select_last_index", 1L}}, {x})[0]), (Indices{2}));
}

TEST(ArgMin, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("ArgMin", 13, {}, {Tensor(DType::kBool, {2})}), "arg_min_c1");
  EXPECT_EQ(broken_constraint("ArgMin", 13, {{"axis", -2L}}, {counting<float>({2})}), "arg_min_c2");
}

Tensor k_of(std::int64_t k) { return Tensor::from<std::int64_t>({1}, {k}); }

TEST(TopK, SortsAndPrefersTheLowerIndex) {
  const Tensor x = Tensor::from<float>({1, 5}, {2, 9, 2, 9, 1});
  auto y = run_operator("TopK", 10, {}, {x, k_of(3)}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{9, 9, 2}));
  EXPECT_EQ(values<std::int64_t>(y[1]), (Indices{1, 3, 0}));
  y = run_operator("TopK", 11, {{"largest", 0L}}, {x, k_of(3)}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{1, 2, 2}));
  EXPECT_EQ(values<std::int64_t>(y[1]), (Indices{4, 0, 2}));
}

TEST(TopK, WorksAlongAnyAxis) {
  const auto y = run_operator("TopK", 1, {{"axis", 0L}, {"k", 1L}}, {counting<double>({3, 2})}, 2);
  EXPECT_EQ(values<double>(y[0]), (std::vector<double>{4, 5}));
  EXPECT_EQ(values<std::int64_t>(y[1]), (Indices{2, 2}));
}

TEST(TopK, TakesTheFirstOfManyEquals) {
  const Tensor x = Tensor::from<float>({8}, {1, 2, 1, 3, 2, 3, 2, 3});
  const auto found = run_operator("TopK", 11, {}, {x, int64s({4})}, 2);
  EXPECT_EQ(values<float>(found[0]), (std::vector<float>{3, 3, 3, 2}));
  EXPECT_EQ(values<std::int64_t>(found[1]), (std::vector<std::int64_t>{3, 5, 7, 1}));
  const auto least = run_operator("TopK", 11, {{"largest", 0L}}, {x, int64s({3})}, 2);
  EXPECT_EQ(values<std::int64_t>(least[1]), (std::vector<std::int64_t>{0, 2, 1}));
}

TEST(TopK, NaNIsLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from<float>({4}, {1, nan, 3, nan});
  EXPECT_EQ(values<std::int64_t>(run_operator("TopK", 11, {}, {x, k_of(4)}, 2)[1]), (Indices{1, 3, 2, 0}));
  EXPECT_EQ(values<std::int64_t>(run_operator("TopK", 11, {{"largest", 0L}}, {x, k_of(4)}, 2)[1]),
            (Indices{0, 2, 1, 3}));
}

TEST(TopK, InfersTheShapeAsFarAsKIsKnown) {
  const Fact x = fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 10});
  EXPECT_EQ(infer_operator("TopK", 11, {}, {x, Fact::of(k_of(3))}, 2, 1).shape, (SymbolicShape{Dim::symbol("N"), 3}));
  EXPECT_EQ(infer_operator("TopK", 11, {}, {x, fact(DType::kInt64, SymbolicShape{1})}, 2).shape,
            (SymbolicShape{Dim::symbol("N"), Dim()}));
}

TEST(TopK, ChecksItsConstraints) {
  const Tensor x = counting<float>({3});
  EXPECT_EQ(broken_constraint("TopK", 11, {}, {Tensor(DType::kBool, {3}), k_of(1)}, 2), "top_k_c1");
  EXPECT_EQ(broken_constraint("TopK", 11, {{"axis", 1L}}, {x, k_of(1)}, 2), "top_k_c2");
  EXPECT_EQ(broken_constraint("TopK", 11, {}, {x, k_of(4)}, 2), "top_k_c3");
  EXPECT_EQ(broken_constraint("TopK", 11, {}, {x, k_of(-1)}, 2), "top_k_c3");
  EXPECT_EQ(broken_constraint("TopK", 1, {}, {x}, 2), "top_k_c3");
}

}  // namespace
}  // namespace octet
