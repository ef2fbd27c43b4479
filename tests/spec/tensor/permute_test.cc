// Transpose, DepthToSpace, SpaceToDepth, Expand and Tile: copies between strided views.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Transpose, ReversesAxesByDefault) {
  const Tensor y = run_operator("Transpose", 13, {}, {counting<float>({2, 3})})[0];
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(values<float>(y), (Floats{0, 3, 1, 4, 2, 5}));
}

TEST(Transpose, TakesAxesInTheOrderOfPerm) {
  const Tensor y = run_operator("Transpose", 1, {{"perm", ints({1, 0, 2})}}, {counting<float>({2, 2, 2})})[0];
  EXPECT_EQ(values<float>(y), (Floats{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(run_operator("Transpose", 13, {{"perm", ints({})}}, {Tensor::scalar(3.0F)})[0].number_at(0), 3);
}

TEST(Transpose, MovesAnyType) {
  for (DType dtype : {DType::kBool, DType::kInt4, DType::kFloat16, DType::kDouble, DType::kComplex128})
    EXPECT_EQ(run_operator("Transpose", 21, {}, {Tensor(dtype, {2, 3})})[0].dtype(), dtype);
  const Tensor words = Tensor::from_strings({2, 2}, {"a", "b", "c", "d"});
  EXPECT_EQ(run_operator("Transpose", 21, {}, {words})[0].strings(), (std::vector<std::string>{"a", "c", "b", "d"}));
}

TEST(Transpose, SplitsRowsAmongThreads) {
  const Tensor y = run_operator("Transpose", 13, {}, {counting<std::int32_t>({300, 400})})[0];
  for (std::int64_t k = 0; k < y.size(); ++k) ASSERT_EQ(y.int_at(k), k % 300 * 400 + k / 300) << "at " << k;
}

TEST(Transpose, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 3});
  EXPECT_EQ(broken_constraint("Transpose", 13, {{"perm", ints({0})}}, {x}), "transpose_c1");
  EXPECT_EQ(broken_constraint("Transpose", 13, {{"perm", ints({0, 0})}}, {x}), "transpose_c1");
  EXPECT_EQ(broken_constraint("Transpose", 13, {{"perm", ints({0, 2})}}, {x}), "transpose_c1");
}

TEST(DepthToSpace, SpreadsChannelsOverBlocks) {
  const Tensor x = counting<float>({1, 8, 1, 1});
  const Tensor y = run_operator("DepthToSpace", 13, {{"blocksize", 2L}}, {x})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 2}));
  EXPECT_EQ(values<float>(y), (Floats{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(values<float>(run_operator("DepthToSpace", 11, {{"blocksize", 2L}, {"mode", std::string("CRD")}}, {x})[0]),
            (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(DepthToSpace, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {1, 8, 1, 1}), flat(DType::kFloat, {8, 1, 1});
  const AttributeList other = {{"blocksize", 2L}, {"mode", std::string("RCD")}};
  EXPECT_EQ(broken_constraint("DepthToSpace", 13, {{"blocksize", 2L}}, {flat}), "depth_to_space_c1");
  EXPECT_EQ(broken_constraint("DepthToSpace", 13, {{"blocksize", 0L}}, {x}), "depth_to_space_c2");
  EXPECT_EQ(broken_constraint("DepthToSpace", 13, {{"blocksize", 3L}}, {x}), "depth_to_space_c2");
  EXPECT_EQ(broken_constraint("DepthToSpace", 13, other, {x}), "depth_to_space_c3");
}

TEST(SpaceToDepth, GathersBlocksIntoChannels) {
  const Tensor x = counting<float>({1, 1, 2, 4});
  const Tensor y = run_operator("SpaceToDepth", 13, {{"blocksize", 2L}}, {x})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 4, 1, 2}));
  EXPECT_EQ(values<float>(y), (Floats{0, 2, 1, 3, 4, 6, 5, 7}));
  const Fact symbolic_x = fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 3, 8, Dim()});
  EXPECT_EQ(infer_operator("SpaceToDepth", 13, {{"blocksize", 2L}}, {symbolic_x}).shape,
            (SymbolicShape{Dim::symbol("N"), 12, 4, Dim()}));
}

TEST(SpaceToDepth, OrdersChannelsByMode) {
  const Tensor x = counting<float>({1, 2, 2, 2});
  const AttributeList blocks = {{"blocksize", 2L}, {"mode", std::string("CRD")}};
  EXPECT_EQ(values<float>(run_operator("SpaceToDepth", 28, blocks, {x})[0]), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values<float>(run_operator("SpaceToDepth", 13, blocks, {x})[0]), (Floats{0, 4, 1, 5, 2, 6, 3, 7}));
  const AttributeList other = {{"blocksize", 2L}, {"mode", std::string("RCD")}};
  EXPECT_EQ(broken_constraint("SpaceToDepth", 28, other, {x}), "space_to_depth_c3");
}

TEST(SpaceToDepth, ChecksItsConstraints) {
  const Tensor matrix(DType::kFloat, {2, 2}), odd(DType::kFloat, {1, 1, 3, 2}), even(DType::kFloat, {1, 1, 2, 2});
  EXPECT_EQ(broken_constraint("SpaceToDepth", 13, {{"blocksize", 2L}}, {matrix}), "space_to_depth_c1");
  EXPECT_EQ(broken_constraint("SpaceToDepth", 13, {{"blocksize", 2L}}, {odd}), "space_to_depth_c2");
  EXPECT_EQ(broken_constraint("SpaceToDepth", 13, {{"blocksize", -1L}}, {even}), "space_to_depth_c2");
}

TEST(Expand, Broadcasts) {
  const Tensor y = run_operator("Expand", 13, {}, {counting<float>({2, 1}), int64s({2, 1, 3})})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(values<float>(y), (Floats{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(run_operator("Expand", 8, {}, {counting<float>({2, 3}), int64s({1})})[0].shape(), (Shape{2, 3}));
}

TEST(Expand, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2});
  EXPECT_EQ(broken_constraint("Expand", 13, {}, {x, Tensor(DType::kFloat, {1})}), "expand_c1");
  EXPECT_EQ(broken_constraint("Expand", 13, {}, {x, int64s({-1})}), "expand_c1");
  EXPECT_EQ(broken_constraint("Expand", 13, {}, {x, int64s({3})}), "expand_c2");
}

TEST(Tile, Repeats) {
  const Tensor y = run_operator("Tile", 13, {}, {counting<float>({2, 2}), int64s({2, 2})})[0];
  EXPECT_EQ(y.shape(), (Shape{4, 4}));
  EXPECT_EQ(values<float>(y), (Floats{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(run_operator("Tile", 6, {}, {counting<float>({2, 2}), int64s({0, 1})})[0].shape(), (Shape{0, 2}));
}

TEST(Tile, RepeatsOneAxisInOpset1) {
  const Tensor x = counting<float>({2}), tiles = Tensor::scalar(2.0F), axis = Tensor::scalar(0.0F);
  EXPECT_EQ(values<float>(run_operator("Tile", 1, {}, {x, tiles, axis})[0]), (Floats{0, 1, 0, 1}));
}

TEST(Tile, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 2});
  EXPECT_EQ(broken_constraint("Tile", 13, {}, {x, int64s({1})}), "tile_c1");
  EXPECT_EQ(broken_constraint("Tile", 13, {}, {x, int64s({1, -1})}), "tile_c1");
  EXPECT_EQ(broken_constraint("Tile", 1, {}, {x, int64s({1}), int64s({5})}), "tile_c2");
  EXPECT_EQ(failure_of([&] { run_operator("Tile", 13, {}, {x, int64s({INT64_MAX, 1})}); }).code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace octet
