#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

AttributeList mode(const char* name) { return {{"mode", std::string(name)}}; }

// Of 0 1 2 3.
Floats pad(const char* name, std::int64_t before, std::int64_t behind) {
  return values<float>(run_operator("Pad", 19, mode(name), {counting<float>({4}), int64s({before, behind})})[0]);
}

TEST(Pad, AddsByMode) {
  EXPECT_EQ(pad("constant", 2, 1), (Floats{0, 0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(pad("edge", 2, 1), (Floats{0, 0, 0, 1, 2, 3, 3}));
  EXPECT_EQ(pad("reflect", 2, 1), (Floats{2, 1, 0, 1, 2, 3, 2}));
  EXPECT_EQ(pad("wrap", 2, 1), (Floats{2, 3, 0, 1, 2, 3, 0}));
}

TEST(Pad, GoesOnBeyondOneLength) {
  EXPECT_EQ(pad("reflect", 5, 0), (Floats{1, 2, 3, 2, 1, 0, 1, 2, 3}));
  EXPECT_EQ(pad("wrap", 0, 5), (Floats{0, 1, 2, 3, 0, 1, 2, 3, 0}));
  const Tensor one = Tensor::from<float>({1}, {7});
  EXPECT_EQ(values<float>(run_operator("Pad", 13, mode("reflect"), {one, int64s({1, 2})})[0]), (Floats{7, 7, 7, 7}));
}

TEST(Pad, TakesAwayBeforeItAdds) {
  EXPECT_EQ(pad("constant", -1, -2), (Floats{1}));
  EXPECT_EQ(pad("edge", -1, 2), (Floats{1, 2, 3, 3, 3}));
  EXPECT_EQ(pad("wrap", 2, -1), (Floats{1, 2, 0, 1, 2}));
  EXPECT_EQ(pad("constant", -4, 2), (Floats{0, 0}));
}

TEST(Pad, TakesAConstant) {
  const Tensor x = counting<float>({1, 2}, 1);
  const Tensor y = run_operator("Pad", 11, {}, {x, int64s({1, 0, 0, 1}), Tensor::scalar(9.0F)})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<float>(y), (Floats{9, 9, 9, 1, 2, 9}));
  EXPECT_EQ(values<float>(run_operator("Pad", 2, {{"pads", ints({0, 1, 0, 0})}, {"value", 9.0F}}, {x})[0]),
            (Floats{9, 1, 2}));
  EXPECT_EQ(values<float>(run_operator("Pad", 1, {{"paddings", ints({0, 1, 0, 0})}}, {x})[0]), (Floats{0, 1, 2}));
}

TEST(Pad, PadsTheNamedAxes) {
  const Tensor x = counting<std::int8_t>({2, 2}, 1);
  const Tensor y = run_operator("Pad", 18, {}, {x, int64s({1, 0}), Tensor(), int64s({-1})})[0];
  EXPECT_EQ(values<std::int8_t>(y), (std::vector<std::int8_t>{0, 1, 2, 0, 3, 4}));
}

TEST(Pad, InfersWhatItCan) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 3});
  EXPECT_EQ(infer_operator("Pad", 13, {}, {x, Fact::of(int64s({0, 1, 0, 1}))}).shape, (SymbolicShape{n, 5}));
  EXPECT_EQ(infer_operator("Pad", 13, {}, {x, Fact::of(int64s({1, 0, 0, 0}))}).shape, (SymbolicShape{Dim(), 3}));
  EXPECT_EQ(infer_operator("Pad", 13, {}, {x, fact(DType::kInt64, SymbolicShape{4})}).shape, SymbolicShape(2));
}

TEST(Pad, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {3}), none(DType::kFloat, {0});
  EXPECT_EQ(broken_constraint("Pad", 13, mode("mirror"), {x, int64s({0, 0})}), "pad_c1");
  EXPECT_EQ(broken_constraint("Pad", 13, {}, {x, int64s({0, 0, 0})}), "pad_c2");
  EXPECT_EQ(broken_constraint("Pad", 2, {}, {x}), "pad_c2");
  EXPECT_EQ(broken_constraint("Pad", 13, {}, {x, int64s({-2, -2})}), "pad_c3");
  EXPECT_EQ(broken_constraint("Pad", 13, {}, {x, int64s({-4, 9})}), "pad_c3");
  EXPECT_EQ(broken_constraint("Pad", 13, mode("edge"), {none, int64s({0, 1})}), "pad_c4");
  EXPECT_EQ(broken_constraint("Pad", 13, mode("edge"), {x, int64s({-3, 1})}), "pad_c4");
  EXPECT_EQ(broken_constraint("Pad", 13, {}, {x, int64s({0, 0}), Tensor::scalar(1.0)}), "pad_c5");
  EXPECT_EQ(broken_constraint("Pad", 13, {}, {x, int64s({0, 0}), Tensor(DType::kFloat, {2})}), "pad_c5");
  EXPECT_EQ(broken_constraint("Pad", 18, {}, {x, int64s({0, 0}), Tensor(), int64s({1})}), "pad_c6");
}

TEST(Pad, RefusesWhatNoMemoryHolds) {
  for (std::int64_t count : {INT64_MAX, INT64_MAX - 5, INT64_MAX / 2})
    EXPECT_EQ(failure_of([&] { pad("constant", count, count); }).code(), ErrorCode::kLimit) << count;
  EXPECT_EQ(failure_of([] { pad("constant", INT64_MIN, INT64_MAX); }).code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace octet
