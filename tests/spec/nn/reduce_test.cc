// The Reduce* family: what each computes, and what all have in common.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

const std::vector<std::string> kAll = {"ReduceSum", "ReduceMean", "ReduceMax",    "ReduceMin",       "ReduceProd",
                                       "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};

int axes_input(const std::string& name) { return name == "ReduceSum" ? 13 : 18; }

std::string prefix(const std::string& name) {
  std::string snake;
  for (char c : name) {
    if (std::isupper(c) != 0 && !snake.empty()) snake += '_';
    snake += static_cast<char>(std::tolower(c));
  }
  return snake;
}

// Over the last axis of a matrix.
template <typename T>
std::vector<T> rows(const std::string& name, const Tensor& x) {
  return values<T>(run_operator(name, 11, {{"axes", ints({-1})}, {"keepdims", 0L}}, {x})[0]);
}

TEST(ReduceSum, Sums) { EXPECT_EQ(rows<float>("ReduceSum", counting<float>({2, 3})), (Floats{3, 12})); }
TEST(ReduceSum, AddsFloat32InTheOrderOfOnnxRuntime) {
  // 16777216 + 1 is not a float32, but 16777216 + 2 is. Rows of four and more are added as (0 + 2) + (1 + 3), from the first
  // multiple of 16 bytes on; shorter ones in order.
  const auto sums = [](Shape shape, const Floats& x) {
    return rows<float>("ReduceSum", Tensor::from<float>(shape, x));
  };
  EXPECT_EQ(sums({1, 3}, {16777216, 1, 1}), (Floats{16777216}));
  EXPECT_EQ(sums({1, 4}, {16777216, 1, 0, 1}), (Floats{16777218}));
  EXPECT_EQ(sums({1, 4}, {16777216, 1, 1, 0}), (Floats{16777216}));
  EXPECT_EQ(sums({1, 8}, {16777216, 0, 0, 1, 0, 0, 0, 1}), (Floats{16777218}));
  EXPECT_EQ(sums({2, 5}, {0, 0, 0, 0, 0, 1, 0, 0, 16777216, 1}), (Floats{0, 16777216}));
}
TEST(ReduceSum, AddsColumnsByFours) {
  const Tensor x = Tensor::from<float>({2, 6, 1}, {1, 0, 0, 0, 16777216, 1, 16777216, 0, 0, 0, 1, 1});
  EXPECT_EQ(values<float>(run_operator("ReduceSum", 11, {{"axes", ints({1})}}, {x})[0]), (Floats{16777216, 16777218}));
}
TEST(ReduceSum, IntegersWrap) {
  EXPECT_EQ(rows<std::int32_t>("ReduceSum", Tensor::from<std::int32_t>({1, 2}, {INT32_MAX, 1})), (Ints{INT32_MIN}));
}
TEST(ReduceMean, Averages) { EXPECT_EQ(rows<float>("ReduceMean", counting<float>({2, 3})), (Floats{1, 4})); }
TEST(ReduceMean, OfIntegersIsExactAndTruncated) {
  const Tensor x = Tensor::from<std::int32_t>({2, 2}, {INT32_MAX, INT32_MAX, -3, -4});
  EXPECT_EQ(rows<std::int32_t>("ReduceMean", x), (Ints{INT32_MAX, -3}));
}
TEST(ReduceMax, FindsTheMaximum) {
  EXPECT_EQ(rows<float>("ReduceMax", Tensor::from<float>({2, 2}, {-3, -2, 5, 4})), (Floats{-2, 5}));
  EXPECT_EQ(rows<std::int8_t>("ReduceMax", Tensor::from<std::int8_t>({1, 2}, {-128, -127})),
            (std::vector<std::int8_t>{-127}));
}
TEST(ReduceMax, NaNWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(rows<float>("ReduceMax", Tensor::from<float>({1, 3}, {1, nan, 2}))[0]));
  EXPECT_TRUE(std::isnan(rows<float>("ReduceMin", Tensor::from<float>({1, 3}, {1, nan, 2}))[0]));
}
TEST(ReduceMax, OfBoolsIsOr) {
  const Tensor x = Tensor::from<bool>({3, 2}, {true, false, false, false, true, true});
  const Tensor axes = Tensor::from<std::int64_t>({1}, {1});
  EXPECT_EQ(values<bool>(run_operator("ReduceMax", 20, {}, {x, axes})[0]), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(values<bool>(run_operator("ReduceMin", 20, {}, {x, axes})[0]), (std::vector<bool>{false, false, true}));
}
TEST(ReduceMin, FindsTheMinimum) {
  EXPECT_EQ(rows<float>("ReduceMin", Tensor::from<float>({2, 2}, {-3, -2, 5, 4})), (Floats{-3, 4}));
  EXPECT_EQ(rows<std::uint8_t>("ReduceMin", Tensor::from<std::uint8_t>({1, 2}, {255, 254})),
            (std::vector<std::uint8_t>{254}));
}
TEST(ReduceProd, Multiplies) { EXPECT_EQ(rows<float>("ReduceProd", counting<float>({2, 2}, 1.0F)), (Floats{2, 12})); }
TEST(ReduceL1, SumsAbsoluteValues) {
  EXPECT_EQ(rows<float>("ReduceL1", Tensor::from<float>({1, 3}, {-1, 2, -3})), (Floats{6}));
  EXPECT_EQ(rows<std::int32_t>("ReduceL1", Tensor::from<std::int32_t>({1, 2}, {-5, 2})), (Ints{7}));
}
TEST(ReduceL2, IsTheEuclideanLength) {
  EXPECT_EQ(rows<float>("ReduceL2", Tensor::from<float>({1, 2}, {-3, 4})), (Floats{5}));
  EXPECT_EQ(rows<std::int32_t>("ReduceL2", Tensor::from<std::int32_t>({1, 2}, {1, 1})), (Ints{1}));
}
TEST(ReduceLogSum, IsTheLogarithmOfTheSum) {
  EXPECT_FLOAT_EQ(rows<float>("ReduceLogSum", Tensor::from<float>({1, 2}, {3, 5}))[0], 2.0794415F);
}
TEST(ReduceLogSumExp, DoesNotOverflow) {
  EXPECT_FLOAT_EQ(rows<float>("ReduceLogSumExp", Tensor::from<float>({1, 2}, {1000, 1000}))[0], 1000.6931F);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rows<float>("ReduceLogSumExp", Tensor::from<float>({2, 2}, {inf, 0, -inf, -inf})), (Floats{inf, -inf}));
}
TEST(ReduceSumSquare, SumsSquares) {
  EXPECT_EQ(rows<float>("ReduceSumSquare", Tensor::from<float>({1, 3}, {1, -2, 3})), (Floats{14}));
}

TEST(Reduce, TakesAnyAxesAsAttributeOrInput) {
  const Tensor x = counting<float>({2, 3, 2});
  const Tensor axes = Tensor::from<std::int64_t>({2}, {0, -1});
  const Tensor as_attribute = run_operator("ReduceSum", 11, {{"axes", ints({0, -1})}}, {x})[0];
  const Tensor as_input = run_operator("ReduceSum", 13, {}, {x, axes})[0];
  EXPECT_EQ(as_attribute.shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(values<float>(as_attribute), (Floats{14, 22, 30}));
  EXPECT_TRUE(as_attribute.identical(as_input));
  EXPECT_EQ(values<float>(run_operator("ReduceSum", 13, {}, {x, Tensor::from<std::int64_t>({1}, {1})})[0]),
            (Floats{6, 9, 24, 27}));
}

TEST(Reduce, WithoutAxesTakesAllOrNone) {
  const Tensor x = counting<float>({2, 2}), none(DType::kInt64, {0});
  EXPECT_EQ(run_operator("ReduceSum", 11, {}, {x})[0].shape(), (Shape{1, 1}));
  EXPECT_EQ(values<float>(run_operator("ReduceSum", 13, {{"keepdims", 0L}}, {x, none})[0]), (Floats{6}));
  EXPECT_EQ(values<float>(run_operator("ReduceSumSquare", 18, {{"noop_with_empty_axes", 1L}}, {x, none})[0]),
            (Floats{0, 1, 4, 9}));
}

TEST(Reduce, GivesNothingItsNeutralElement) {
  const Tensor x(DType::kFloat, {2, 0}), axes = Tensor::from<std::int64_t>({1}, {1});
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::string, float>> wanted = {
      {"ReduceSum", 0}, {"ReduceMax", -inf},    {"ReduceMin", inf},        {"ReduceProd", 1},     {"ReduceL1", 0},
      {"ReduceL2", 0},  {"ReduceLogSum", -inf}, {"ReduceLogSumExp", -inf}, {"ReduceSumSquare", 0}};
  for (const auto& [name, value] : wanted)
    EXPECT_EQ(values<float>(run_operator(name, 18, {}, {x, axes})[0]), (Floats{value, value})) << name;
  EXPECT_EQ(run_operator("ReduceMean", 18, {}, {x, axes})[0].number_at(0), 0);
}

TEST(Reduce, InfersWithSymbols) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 3, 4});
  EXPECT_EQ(infer_operator("ReduceMean", 11, {{"axes", ints({2})}}, {x}).shape, (SymbolicShape{n, 3, 1}));
  const Fact axes = fact(DType::kInt64, SymbolicShape{1});
  EXPECT_EQ(infer_operator("ReduceMean", 18, {}, {x, axes}).shape, SymbolicShape(3));
  EXPECT_EQ(infer_operator("ReduceMean", 18, {{"keepdims", 0L}}, {x, axes}).shape, std::nullopt);
}

TEST(Reduce, ChecksItsConstraints) {
  for (const std::string& name : kAll) {
    const Tensor x = counting<float>({2, 2}), strings = Tensor::from_strings({1}, {"a"});
    EXPECT_EQ(broken_constraint(name, 11, {}, {strings}), prefix(name) + "_c1");
    EXPECT_EQ(broken_constraint(name, 11, {{"axes", ints({2})}}, {x}), prefix(name) + "_c2");
    EXPECT_EQ(broken_constraint(name, 11, {{"axes", ints({0, -2})}}, {x}), prefix(name) + "_c2");
    const int opset = axes_input(name);
    EXPECT_EQ(broken_constraint(name, opset, {}, {x, Tensor::from<std::int64_t>({1}, {-3})}), prefix(name) + "_c2");
    EXPECT_EQ(broken_constraint(name, opset, {}, {x, Tensor::from<float>({1}, {0})}), prefix(name) + "_c2");
  }
}

}  // namespace
}  // namespace octet
