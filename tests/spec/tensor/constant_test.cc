// Tensors made from attributes and small inputs: Constant, ConstantOfShape, Range, EyeLike, OneHot, Shape, Size.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Constant, TakesEveryKindOfValue) {
  const auto constant = [](const char* name, AttributeValue value) {
    return run_operator("Constant", 13, {{name, std::move(value)}}, {})[0];
  };
  EXPECT_EQ(constant("value", counting<std::int8_t>({2})).dtype(), DType::kInt8);
  EXPECT_EQ(constant("value_float", 1.5F).number_at(0), 1.5);
  EXPECT_EQ(constant("value_int", 7L).shape(), Shape());
  EXPECT_EQ(values<float>(constant("value_floats", Floats{1, 2})), (Floats{1, 2}));
  EXPECT_EQ(constant("value_ints", ints({3, 4})).to_ints(), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(constant("value_string", std::string("a")).strings()[0], "a");
  EXPECT_EQ(constant("value_strings", std::vector<std::string>{"a", "b"}).shape(), (Shape{2}));
}

TEST(Constant, IsKnownToInference) {
  EXPECT_EQ(infer_operator("Constant", 13, {{"value_ints", ints({3, 4})}}, {}).constant.int_at(1), 4);
}

TEST(Constant, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Constant", 13, {}, {}), "constant_c1");
  EXPECT_EQ(broken_constraint("Constant", 13, {{"value_int", 1L}, {"value_float", 1.0F}}, {}), "constant_c1");
}

TEST(ConstantOfShape, FillsWithTheValue) {
  const AttributeList nines = {{"value", Tensor::from<std::int32_t>({1}, {9})}};
  EXPECT_EQ(run_operator("ConstantOfShape", 9, nines, {int64s({2, 2})})[0].to_ints(),
            (std::vector<std::int64_t>{9, 9, 9, 9}));
  EXPECT_EQ(values<float>(run_operator("ConstantOfShape", 9, {}, {int64s({2})})[0]), (Floats{0, 0}));
  EXPECT_EQ(run_operator("ConstantOfShape", 9, {}, {int64s({0}, {})})[0].shape(), Shape());
}

TEST(ConstantOfShape, InfersShapesAndElements) {
  Fact shape = fact(DType::kInt64, SymbolicShape{2});
  shape.elements = std::vector<Dim>{Dim::symbol("N"), 3};
  EXPECT_EQ(infer_operator("ConstantOfShape", 9, {}, {shape}).shape, (SymbolicShape{Dim::symbol("N"), 3}));
  const AttributeList ones = {{"value", Tensor::from<std::int64_t>({1}, {1})}};
  EXPECT_EQ(infer_operator("ConstantOfShape", 9, ones, {Fact::of(int64s({2}))}).elements, (std::vector<Dim>{1, 1}));
}

TEST(ConstantOfShape, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("ConstantOfShape", 9, {}, {Tensor(DType::kFloat, {1})}), "constant_of_shape_c1");
  EXPECT_EQ(broken_constraint("ConstantOfShape", 9, {}, {int64s({-1})}), "constant_of_shape_c1");
  EXPECT_EQ(broken_constraint("ConstantOfShape", 9, {{"value", Tensor(DType::kFloat, {2})}}, {int64s({1})}),
            "constant_of_shape_c2");
  EXPECT_EQ(failure_of([] {
              run_operator("ConstantOfShape", 9, {}, {int64s({INT64_MAX / 2, 2})});
            }).code(),
            ErrorCode::kLimit);
}

template <typename T>
std::vector<T> range(T start, T limit, T delta) {
  return values<T>(
      run_operator("Range", 11, {}, {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)})[0]);
}

TEST(Range, CountsUpAndDown) {
  EXPECT_EQ(range<std::int64_t>(1, 8, 3), (std::vector<std::int64_t>{1, 4, 7}));
  EXPECT_EQ(range<std::int32_t>(10, 6, -3), (std::vector<std::int32_t>{10, 7}));
  EXPECT_EQ(range<std::int16_t>(3, 3, 1), std::vector<std::int16_t>());
  EXPECT_EQ(range<std::int64_t>(3, 1, 1), std::vector<std::int64_t>());
  EXPECT_EQ(range<float>(1, 2, 0.25F), (Floats{1, 1.25F, 1.5F, 1.75F}));
  EXPECT_EQ(range<std::int64_t>(INT64_MIN, INT64_MAX, INT64_MAX),
            (std::vector<std::int64_t>{INT64_MIN, -1, INT64_MAX - 1}));
}

// Values of ONNX Runtime: 0.1 added 999 times; 99.9 exactly would be 999 * 0.1.
TEST(Range, AddsStepByStep) {
  const Floats y = range<float>(0, 100, 0.1F);
  ASSERT_EQ(y.size(), 1000U);
  EXPECT_EQ(y[999], 99.89905F);
}

TEST(Range, AddsHalvesInFloat32) {
  const auto half = [](float value) { return Tensor::from<Float16>({}, {to_float16(value)}); };
  const Tensor y = run_operator("Range", 27, {}, {half(2047), half(2052), half(1)})[0];
  EXPECT_EQ(y.size(), 5);
  EXPECT_EQ(y.number_at(4), 2052);  // 2051, rounded; added in float16 it would be 2048
  EXPECT_EQ(broken_constraint("Range", 27, {{"stash_type", 10L}}, {half(0), half(1), half(1)}), "range_c3");
}

TEST(Range, ChecksItsConstraints) {
  const Tensor one = Tensor::scalar(1.0F);
  EXPECT_EQ(broken_constraint("Range", 11, {}, {one, one, Tensor::scalar(1.0)}), "range_c1");
  EXPECT_EQ(broken_constraint("Range", 11, {}, {one, one, Tensor(DType::kFloat, {2})}), "range_c1");
  EXPECT_EQ(broken_constraint("Range", 11, {}, {one, one, Tensor::scalar(0.0F)}), "range_c2");
  const Tensor nan = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(broken_constraint("Range", 11, {}, {one, nan, one}), "range_c2");
  const Tensor low = Tensor::scalar(INT64_MIN), high = Tensor::scalar(INT64_MAX),
               step = Tensor::scalar<std::int64_t>(1);
  EXPECT_EQ(broken_constraint("Range", 11, {}, {low, high, step}), "range_c2");
}

TEST(EyeLike, PutsOnesOnADiagonal) {
  const Tensor x(DType::kInt32, {2, 3});
  EXPECT_EQ(run_operator("EyeLike", 9, {}, {x})[0].to_ints(), (std::vector<std::int64_t>{1, 0, 0, 0, 1, 0}));
  const Tensor y = run_operator("EyeLike", 22, {{"k", 1L}, {"dtype", 1L}}, {x})[0];
  EXPECT_EQ(values<float>(y), (Floats{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(broken_constraint("EyeLike", 22, {}, {Tensor(DType::kInt32, {2})}), "eye_like_c1");
  EXPECT_EQ(broken_constraint("EyeLike", 22, {{"dtype", 8L}}, {x}), "eye_like_c2");
  EXPECT_EQ(broken_constraint("EyeLike", 22, {{"dtype", 999L}}, {x}), "eye_like_c2");
}

TEST(OneHot, SetsOneElementPerIndex) {
  const Tensor at = int64s({0, -1, 5}), depth = Tensor::scalar<std::int64_t>(3);
  const Tensor off_on = Tensor::from<float>({2}, {0, 9});
  const Tensor y = run_operator("OneHot", 11, {}, {at, depth, off_on})[0];
  EXPECT_EQ(y.shape(), (Shape{3, 3}));
  EXPECT_EQ(values<float>(y), (Floats{9, 0, 0, 0, 0, 9, 0, 0, 0}));
  EXPECT_EQ(values<float>(run_operator("OneHot", 11, {{"axis", 0L}}, {at, depth, off_on})[0]),
            (Floats{9, 0, 0, 0, 0, 0, 0, 9, 0}));
  EXPECT_EQ(values<float>(run_operator("OneHot", 9, {}, {at, Tensor::scalar(3.0F), off_on})[0]),
            (Floats{9, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(OneHot, ChecksItsConstraints) {
  const Tensor at = int64s({0}), depth = Tensor::scalar<std::int64_t>(3), off_on(DType::kFloat, {2});
  EXPECT_EQ(broken_constraint("OneHot", 11, {}, {Tensor(DType::kBool, {1}), depth, off_on}), "one_hot_c1");
  EXPECT_EQ(broken_constraint("OneHot", 11, {}, {at, Tensor::scalar<std::int64_t>(0), off_on}), "one_hot_c2");
  EXPECT_EQ(broken_constraint("OneHot", 11, {}, {at, int64s({1, 2}), off_on}), "one_hot_c2");
  EXPECT_EQ(broken_constraint("OneHot", 11, {}, {at, depth, Tensor(DType::kFloat, {3})}), "one_hot_c3");
  EXPECT_EQ(broken_constraint("OneHot", 11, {{"axis", 2L}}, {at, depth, off_on}), "one_hot_c4");
}

TEST(Shape, ListsTheAxes) {
  const Tensor x(DType::kFloat, {2, 3, 4});
  const auto shape = [&](const AttributeList& attributes) {
    return run_operator("Shape", 15, attributes, {x})[0].to_ints();
  };
  EXPECT_EQ(shape({}), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(shape({{"start", 1L}}), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(shape({{"start", -2L}, {"end", -1L}}), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(shape({{"start", -100L}, {"end", 100L}}), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(shape({{"start", 2L}, {"end", 1L}}), std::vector<std::int64_t>());
  EXPECT_EQ(infer_operator("Shape", 15, {}, {fact(DType::kFloat, std::nullopt)}).shape, SymbolicShape(1));
}

TEST(Size, CountsTheElements) {
  EXPECT_EQ(run_operator("Size", 13, {}, {Tensor(DType::kFloat, {2, 3})})[0].int_at(0), 6);
  EXPECT_EQ(infer_operator("Size", 13, {}, {fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 1})}).elements,
            (std::vector<Dim>{Dim::symbol("N")}));
}

}  // namespace
}  // namespace octet
