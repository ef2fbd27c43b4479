#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Bins = std::vector<float>;

AttributeList two_by_two(AttributeList more = {}) {
  AttributeList attributes = {{"output_height", 2L}, {"output_width", 2L}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}
Tensor sixteen() { return counting<float>({1, 1, 4, 4}); }
Tensor whole() { return Tensor::from<float>({1, 4}, {0, 0, 4, 4}); }

Bins aligned(const AttributeList& attributes, int opset = 16) {
  return values<float>(run_operator("RoiAlign", opset, two_by_two(attributes), {sixteen(), whole(), int64s({0})})[0]);
}

TEST(RoiAlign, AveragesSamples) {
  EXPECT_EQ(aligned({{"sampling_ratio", 1L}}), (Bins{2.5F, 4.5F, 10.5F, 12.5F}));
  EXPECT_EQ(aligned({}), (Bins{2.5F, 4.5F, 10.5F, 12.5F}));  // two a side, symmetric
  // Without the half pixel samples stand at 1 and 3.
  EXPECT_EQ(aligned({{"sampling_ratio", 1L}}, 10), (Bins{5, 7, 13, 15}));
  EXPECT_EQ(aligned({{"sampling_ratio", 1L}, {"spatial_scale", 0.5F}}, 10), (Bins{2.5F, 3.5F, 6.5F, 7.5F}));
}

TEST(RoiAlign, TakesTheLargestWeightedNeighbour) {
  EXPECT_EQ(aligned({{"sampling_ratio", 1L}, {"mode", std::string("max")}}), (Bins{1.25F, 1.75F, 3.25F, 3.75F}));
}

TEST(RoiAlign, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return broken_constraint("RoiAlign", 16, attributes, inputs);
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(broken({}, {sixteen(), Tensor(DType::kDouble, {1, 4}), int64s({0})}), "roi_align_c1");
  EXPECT_EQ(broken({}, {sixteen(), Tensor(DType::kFloat, {1, 5}), int64s({0})}), "roi_align_c1");
  EXPECT_EQ(broken({{"output_width", 0L}}, {sixteen(), whole(), int64s({0})}), "roi_align_c1");
  EXPECT_EQ(broken({}, {sixteen(), whole(), int64s({1})}), "roi_align_c2");
  EXPECT_EQ(broken({}, {sixteen(), whole(), int64s({0, 0})}), "roi_align_c2");
  EXPECT_EQ(broken({{"mode", std::string("min")}}, {sixteen(), whole(), int64s({0})}), "roi_align_c3");
  EXPECT_EQ(broken({{"sampling_ratio", -1L}}, {sixteen(), whole(), int64s({0})}), "roi_align_c3");
  EXPECT_EQ(broken({{"coordinate_transformation_mode", std::string("x")}}, {sixteen(), whole(), int64s({0})}),
            "roi_align_c3");
  EXPECT_EQ(broken({}, {sixteen(), Tensor::from<float>({1, 4}, {0, 0, infinity, 1}), int64s({0})}), "roi_align_c4");
  EXPECT_EQ(broken({}, {sixteen(), Tensor::from<float>({1, 4}, {0, 0, 1e6F, 1e6F}), int64s({0})}), "roi_align_c4");
  EXPECT_EQ(broken({{"sampling_ratio", 1L << 40}}, {sixteen(), whole(), int64s({0})}), "roi_align_c4");
}

TEST(MaxRoiPool, TakesTheLargestOfEachBin) {
  const AttributeList pooled = {{"pooled_shape", ints({2, 2})}};
  const Tensor rois = Tensor::from<float>({2, 5}, {0, 0, 0, 3, 3, 0, 10, 10, 12, 12});
  EXPECT_EQ(values<float>(run_operator("MaxRoiPool", 1, pooled, {sixteen(), rois})[0]),
            (Bins{5, 7, 13, 15, 0, 0, 0, 0}));
}

TEST(MaxRoiPool, ChecksItsConstraints) {
  const AttributeList pooled = {{"pooled_shape", ints({2, 2})}};
  const auto broken = [&](const AttributeList& attributes, const Bins& roi) {
    return broken_constraint("MaxRoiPool", 1, attributes, {sixteen(), Tensor::from<float>({1, 5}, roi)});
  };
  EXPECT_EQ(broken({}, {0, 0, 0, 1, 1}), "max_roi_pool_c1");
  EXPECT_EQ(broken({{"pooled_shape", ints({0, 2})}}, {0, 0, 0, 1, 1}), "max_roi_pool_c1");
  EXPECT_EQ(broken(pooled, {1, 0, 0, 1, 1}), "max_roi_pool_c2");
  EXPECT_EQ(broken(pooled, {0, 0, 0, 1e20F, 1}), "max_roi_pool_c2");
}

}  // namespace
}  // namespace octet
