// Gather, GatherElements and GatherND.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Gather, TakesSlicesByIndex) {
  const Tensor x = counting<float>({3, 2});
  EXPECT_EQ(values<float>(run_operator("Gather", 13, {}, {x, int64s({2, -3})})[0]), (Floats{4, 5, 0, 1}));
  const Tensor y = run_operator("Gather", 1, {{"axis", 1L}}, {x, int64s({1, 2}, {1, 0})})[0];
  EXPECT_EQ(y.shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(values<float>(y), (Floats{1, 0, 3, 2, 5, 4}));
  EXPECT_EQ(run_operator("Gather", 13, {}, {x, Tensor::scalar<std::int32_t>(1)})[0].shape(), (Shape{2}));
  EXPECT_EQ(run_operator("Gather", 13, {}, {x, int64s({0}, {})})[0].shape(), (Shape{0, 2}));
  EXPECT_EQ(run_operator("Gather", 13, {}, {Tensor::from_strings({2}, {"a", "b"}), int64s({1})})[0].strings()[0], "b");
}

TEST(Gather, PicksDimensions) {
  const Dim n = Dim::symbol("N");
  Fact shape = fact(DType::kInt64, SymbolicShape{3});
  shape.elements = std::vector<Dim>{n, 3, 8};
  EXPECT_EQ(infer_operator("Gather", 13, {}, {shape, Fact::of(Tensor::scalar<std::int64_t>(0))}).elements,
            (std::vector<Dim>{n}));
  EXPECT_EQ(infer_operator("Gather", 13, {}, {shape, Fact::of(int64s({-1, 0}))}).elements, (std::vector<Dim>{8, n}));
}

TEST(Gather, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {3, 2});
  EXPECT_EQ(broken_constraint("Gather", 13, {}, {x, Tensor(DType::kInt8, {1})}), "gather_c1");
  EXPECT_EQ(broken_constraint("Gather", 13, {{"axis", 2L}}, {x, int64s({0})}), "gather_c2");
  EXPECT_EQ(broken_constraint("Gather", 13, {}, {x, int64s({3})}), "gather_c3");
  EXPECT_EQ(broken_constraint("Gather", 13, {}, {x, int64s({INT64_MIN})}), "gather_c3");
  EXPECT_EQ(broken_constraint("Gather", 13, {}, {Tensor(DType::kFloat, {0}), int64s({0})}), "gather_c3");
}

TEST(GatherElements, TakesElementsAlongTheAxis) {
  const Tensor x = counting<float>({3, 3});
  EXPECT_EQ(values<float>(run_operator("GatherElements", 13, {}, {x, int64s({2, 3}, {1, 2, 0, 2, 0, -3})})[0]),
            (Floats{3, 7, 2, 6, 1, 2}));
  EXPECT_EQ(values<float>(run_operator("GatherElements", 11, {{"axis", 1L}}, {x, int64s({3, 1}, {0, 1, -1})})[0]),
            (Floats{0, 4, 8}));
}

TEST(GatherElements, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 2});
  EXPECT_EQ(broken_constraint("GatherElements", 13, {}, {x, Tensor(DType::kFloat, {1, 1})}), "gather_elements_c1");
  EXPECT_EQ(broken_constraint("GatherElements", 13, {{"axis", -3L}}, {x, int64s({1, 1}, {0})}), "gather_elements_c2");
  EXPECT_EQ(broken_constraint("GatherElements", 13, {}, {x, int64s({0})}), "gather_elements_c3");
  EXPECT_EQ(broken_constraint("GatherElements", 13, {}, {x, int64s({1, 3}, {0, 0, 0})}), "gather_elements_c3");
  EXPECT_EQ(broken_constraint("GatherElements", 13, {}, {x, int64s({1, 1}, {2})}), "gather_elements_c4");
}

TEST(GatherND, TakesSlicesByTuple) {
  const Tensor x = counting<float>({2, 2, 2});
  EXPECT_EQ(values<float>(run_operator("GatherND", 13, {}, {x, int64s({2, 3}, {0, 0, 1, 1, -1, 0})})[0]),
            (Floats{1, 6}));
  EXPECT_EQ(values<float>(run_operator("GatherND", 11, {}, {x, int64s({2, 2}, {0, 1, 1, 0})})[0]),
            (Floats{2, 3, 4, 5}));
  EXPECT_EQ(values<float>(run_operator("GatherND", 12, {{"batch_dims", 1L}}, {x, int64s({2, 1}, {1, 0})})[0]),
            (Floats{2, 3, 4, 5}));
}

TEST(GatherND, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 2});
  EXPECT_EQ(broken_constraint("GatherND", 13, {}, {x, Tensor(DType::kFloat, {1, 1})}), "gather_nd_c1");
  EXPECT_EQ(broken_constraint("GatherND", 13, {{"batch_dims", 2L}}, {x, int64s({1, 1}, {0})}), "gather_nd_c2");
  EXPECT_EQ(broken_constraint("GatherND", 13, {{"batch_dims", -1L}}, {x, int64s({1, 1}, {0})}), "gather_nd_c2");
  EXPECT_EQ(broken_constraint("GatherND", 13, {{"batch_dims", 1L}}, {x, int64s({3, 1}, {0, 0, 0})}), "gather_nd_c2");
  EXPECT_EQ(broken_constraint("GatherND", 13, {}, {x, int64s({1, 3}, {0, 0, 0})}), "gather_nd_c3");
  EXPECT_EQ(broken_constraint("GatherND", 13, {}, {x, int64s({1, 0}, {})}), "gather_nd_c3");
  EXPECT_EQ(broken_constraint("GatherND", 13, {}, {x, int64s({1, 2}, {0, 2})}), "gather_nd_c4");
}

}  // namespace
}  // namespace octet
