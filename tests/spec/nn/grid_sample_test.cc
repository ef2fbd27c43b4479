#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Pixels = std::vector<float>;

Tensor picture() { return Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4}); }
Tensor places(const Pixels& xy) { return Tensor::from<float>({1, 1, static_cast<std::int64_t>(xy.size()) / 2, 2}, xy); }
Pixels sampled(const AttributeList& attributes, const Pixels& xy, int opset = 20) {
  return values<float>(run_operator("GridSample", opset, attributes, {picture(), places(xy)})[0]);
}
AttributeList grid_modes(const char* mode, const char* padding, std::int64_t align = 0) {
  return {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", align}};
}

TEST(GridSample, InterpolatesBetweenElements) {
  EXPECT_EQ(sampled({}, {0, 0}), (Pixels{2.5F}));
  EXPECT_EQ(sampled({}, {-0.5F, -0.5F, 0.5F, -0.5F, 0.5F, 0.5F}), (Pixels{1, 2, 4}));
  EXPECT_EQ(sampled(grid_modes("linear", "zeros", 1), {-1, -1, 1, 1, 0, -1}), (Pixels{1, 4, 1.5F}));
  EXPECT_EQ(sampled(grid_modes("bilinear", "zeros"), {0, 0}, 16), (Pixels{2.5F}));
  EXPECT_EQ(sampled(grid_modes("nearest", "zeros"), {-0.6F, -0.4F, 0.9F, -0.1F}), (Pixels{1, 2}));
}

TEST(GridSample, PadsAsSaid) {
  const Pixels corner = {-1, -1}, far = {-9, 0.5F};
  EXPECT_EQ(sampled(grid_modes("linear", "zeros"), corner), (Pixels{0.25F}));
  EXPECT_EQ(sampled(grid_modes("linear", "border"), corner), (Pixels{1}));
  EXPECT_EQ(sampled(grid_modes("linear", "reflection"), corner), (Pixels{1}));
  EXPECT_EQ(sampled(grid_modes("linear", "zeros"), far), (Pixels{0}));
  EXPECT_EQ(sampled(grid_modes("linear", "border"), far), (Pixels{3}));
  EXPECT_EQ(sampled(grid_modes("nearest", "reflection"), far), (Pixels{3}));  // at -8: to the other end and back, twice
}

TEST(GridSample, TakesPositionsThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const char* mode : {"linear", "nearest", "cubic"}) {
    EXPECT_EQ(sampled(grid_modes(mode, "zeros"), {nan, 0, infinity, 0, 1e30F, 0}), (Pixels{0, 0, 0})) << mode;
    for (const char* padding : {"border", "reflection"}) sampled(grid_modes(mode, padding), {nan, -infinity, 1e30F, 0});
  }
}

TEST(GridSample, TakesThreeAxes) {
  const Tensor x = counting<float>({1, 1, 2, 2, 2}), middle = Tensor(DType::kFloat, {1, 1, 1, 1, 3});
  EXPECT_EQ(values<float>(run_operator("GridSample", 20, {}, {x, middle})[0]), (Pixels{3.5F}));
}

TEST(GridSample, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const Tensor& x, const Tensor& grid) {
    return broken_constraint("GridSample", 20, attributes, {x, grid});
  };
  EXPECT_EQ(broken({}, Tensor(DType::kInt32, {1, 1, 2, 2}), places({0, 0})), "grid_sample_c1");
  EXPECT_EQ(broken({}, Tensor(DType::kFloat, {1, 1}), places({0, 0})), "grid_sample_c2");
  EXPECT_EQ(broken({}, picture(), Tensor(DType::kFloat, {1, 1, 1, 3})), "grid_sample_c2");
  EXPECT_EQ(broken({}, picture(), Tensor(DType::kFloat, {2, 1, 1, 2})), "grid_sample_c2");
  EXPECT_EQ(broken(grid_modes("sharp", "zeros"), picture(), places({0, 0})), "grid_sample_c3");
  EXPECT_EQ(broken(grid_modes("linear", "wrap"), picture(), places({0, 0})), "grid_sample_c3");
}

TEST(AffineGrid, MovesTheCoordinates) {
  const Tensor same = Tensor::from<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  EXPECT_EQ(values<float>(run_operator("AffineGrid", 20, {}, {same, int64s({1, 1, 2, 2})})[0]),
            (Pixels{-0.5F, -0.5F, 0.5F, -0.5F, -0.5F, 0.5F, 0.5F, 0.5F}));
  const Tensor moved = Tensor::from<float>({1, 2, 3}, {2, 0, 1, 0, 1, 0});
  EXPECT_EQ(values<float>(run_operator("AffineGrid", 20, {{"align_corners", 1L}}, {moved, int64s({1, 1, 1, 3})})[0]),
            (Pixels{-1, -1, 1, -1, 3, -1}));
  EXPECT_EQ(run_operator("AffineGrid", 20, {}, {Tensor(DType::kFloat, {2, 3, 4}), int64s({2, 1, 3, 4, 5})})[0].shape(),
            (Shape{2, 3, 4, 5, 3}));
}

TEST(AffineGrid, ChecksItsConstraints) {
  const Tensor theta(DType::kFloat, {1, 2, 3});
  EXPECT_EQ(broken_constraint("AffineGrid", 20, {}, {Tensor(DType::kInt32, {1, 2, 3}), int64s({1, 1, 2, 2})}),
            "affine_grid_c1");
  EXPECT_EQ(broken_constraint("AffineGrid", 20, {}, {theta, int64s({1, 1, 2, 2, 2})}), "affine_grid_c1");
  EXPECT_EQ(broken_constraint("AffineGrid", 20, {}, {theta, int64s({1, 1, 2})}), "affine_grid_c2");
  EXPECT_EQ(broken_constraint("AffineGrid", 20, {}, {theta, int64s({2, 1, 2, 2})}), "affine_grid_c2");
  EXPECT_EQ(broken_constraint("AffineGrid", 20, {}, {theta, int64s({1, 1, -2, 2})}), "affine_grid_c2");
}

}  // namespace
}  // namespace octet
