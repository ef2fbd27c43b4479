// ScatterElements, Scatter and ScatterND.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

AttributeList reduction(const char* name) { return {{"reduction", std::string(name)}}; }

TEST(ScatterElements, WritesAlongTheAxis) {
  const Tensor x = counting<float>({2, 3}), at = int64s({2, 2}, {0, 2, -1, 1});
  const Tensor updates = Tensor::from<float>({2, 2}, {10, 20, 30, 40});
  const Floats want = {10, 1, 20, 3, 40, 30};
  EXPECT_EQ(values<float>(run_operator("ScatterElements", 18, {{"axis", 1L}}, {x, at, updates})[0]), want);
  EXPECT_EQ(values<float>(run_operator("Scatter", 9, {{"axis", 1L}}, {x, at, updates})[0]), want);
  EXPECT_EQ(values<float>(x), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST(ScatterElements, ReducesInOrder) {
  const Tensor x = Tensor::from<float>({2}, {5, 6}), updates = Tensor::from<float>({3}, {2, 9, 3});
  const auto reduced = [&](const char* name) {
    return values<float>(run_operator("ScatterElements", 18, reduction(name), {x, int64s({1, 1, 0}), updates})[0]);
  };
  EXPECT_EQ(reduced("none"), (Floats{3, 9}));
  EXPECT_EQ(reduced("add"), (Floats{8, 17}));
  EXPECT_EQ(reduced("mul"), (Floats{15, 108}));
  EXPECT_EQ(reduced("max"), (Floats{5, 9}));
  EXPECT_EQ(reduced("min"), (Floats{3, 2}));
}

TEST(ScatterElements, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 2}), at = int64s({1, 1}, {0}), update(DType::kFloat, {1, 1});
  for (const char* name : {"ScatterElements", "Scatter"}) {
    const auto label = [&](std::size_t number) { return find_operator("", name)->constraints[number - 1].label; };
    EXPECT_EQ(broken_constraint(name, 11, {}, {x, Tensor(DType::kFloat, {1, 1}), update}), label(1));
    EXPECT_EQ(broken_constraint(name, 11, {{"axis", 2L}}, {x, at, update}), label(2));
    EXPECT_EQ(broken_constraint(name, 11, {}, {x, int64s({1, 3}, {0, 0, 0}), update}), label(3));
    EXPECT_EQ(broken_constraint(name, 11, {}, {x, int64s({1, 1}, {2}), update}), label(4));
    EXPECT_EQ(broken_constraint(name, 11, {}, {x, at, Tensor(DType::kFloat, {1, 2})}), label(5));
    EXPECT_EQ(broken_constraint(name, 11, {}, {x, at, Tensor(DType::kInt32, {1, 1})}), label(5));
  }
  const Tensor bools(DType::kBool, {2, 2}), bool_update(DType::kBool, {1, 1});
  EXPECT_EQ(broken_constraint("ScatterElements", 18, reduction("median"), {x, at, update}), "scatter_elements_c6");
  EXPECT_EQ(broken_constraint("ScatterElements", 18, reduction("add"), {bools, at, bool_update}),
            "scatter_elements_c6");
}

TEST(ScatterND, WritesSlices) {
  const Tensor x = counting<float>({3, 2}), at = int64s({2, 1}, {2, -3});
  const Tensor updates = Tensor::from<float>({2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(values<float>(run_operator("ScatterND", 18, {}, {x, at, updates})[0]), (Floats{30, 40, 2, 3, 10, 20}));
  EXPECT_EQ(values<float>(run_operator("ScatterND", 16, reduction("add"), {x, at, updates})[0]),
            (Floats{30, 41, 2, 3, 14, 25}));
  const Tensor half = run_operator("ScatterND", 18, reduction("add"),
                                   {convert(x, DType::kFloat16), at, convert(updates, DType::kFloat16)})[0];
  EXPECT_EQ(half.dtype(), DType::kFloat16);
  EXPECT_EQ(half.number_at(1), 41);
}

TEST(ScatterND, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 2}), at = int64s({1, 1}, {0}), update(DType::kFloat, {1, 2});
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, Tensor(DType::kFloat, {1, 1}), update}), "scatter_nd_c1");
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, at, Tensor(DType::kInt32, {1, 2})}), "scatter_nd_c1");
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, Tensor::scalar<std::int64_t>(0), update}), "scatter_nd_c2");
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, int64s({1, 3}, {0, 0, 0}), update}), "scatter_nd_c3");
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, int64s({1, 1}, {2}), update}), "scatter_nd_c4");
  EXPECT_EQ(broken_constraint("ScatterND", 18, {}, {x, at, Tensor(DType::kFloat, {2, 2})}), "scatter_nd_c5");
  EXPECT_EQ(broken_constraint("ScatterND", 18, reduction("median"), {x, at, update}), "scatter_nd_c6");
}

}  // namespace
}  // namespace octet
