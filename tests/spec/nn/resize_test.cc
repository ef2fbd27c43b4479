// Resize and Upsample.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

Tensor resized_row(std::initializer_list<float> elements) {
  return Tensor::from<float>({static_cast<std::int64_t>(elements.size())}, elements);
}
Tensor scales(std::initializer_list<float> values) { return resized_row(values); }
Tensor sizes(std::initializer_list<std::int64_t> values) {
  return Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

Floats resized(AttributeList attributes, const Tensor& x, const Tensor& size, const Tensor& roi = {}) {
  return values<float>(run_operator("Resize", 19, attributes, {x, roi, Tensor(), size})[0]);
}

TEST(Resize, NearestRepeatsElements) {
  const AttributeList attributes = {{"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}};
  EXPECT_EQ(resized(attributes, resized_row({1, 2}), sizes({4})), (Floats{1, 1, 2, 2}));
}

TEST(Resize, NearestBreaksTiesAsTold) {
  // 3 to 2 asymmetric: the second lies at 1.5.
  const auto with = [](std::string_view rule) {
    return resized({{"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", std::string(rule)}},
                   resized_row({1, 2, 3}), sizes({2}));
  };
  EXPECT_EQ(with("round_prefer_floor"), (Floats{1, 2}));
  EXPECT_EQ(with("round_prefer_ceil"), (Floats{1, 3}));
  EXPECT_EQ(with("floor"), (Floats{1, 2}));
  EXPECT_EQ(with("ceil"), (Floats{1, 3}));
}

TEST(Resize, AlmostATieIsATie) {
  // 7 to 2: the second lies at 1 / f32(2/7) = 3.4999998.
  const AttributeList attributes = {{"coordinate_transformation_mode", "asymmetric"},
                                    {"nearest_mode", "round_prefer_ceil"}};
  EXPECT_EQ(resized(attributes, counting<float>({7}), sizes({2})), (Floats{0, 4}));
}

TEST(Resize, LinearInterpolatesWhereTheCoordinatesSay) {
  const auto with = [](std::string_view mode) {
    return resized({{"mode", "linear"}, {"coordinate_transformation_mode", std::string(mode)}}, resized_row({0, 4}),
                   sizes({4}));
  };
  EXPECT_EQ(with("half_pixel"), (Floats{0, 1, 3, 4}));
  EXPECT_EQ(with("half_pixel_symmetric"), (Floats{0, 1, 3, 4}));
  EXPECT_EQ(with("pytorch_half_pixel"), (Floats{0, 1, 3, 4}));
  EXPECT_EQ(with("asymmetric"), (Floats{0, 2, 4, 4}));
  const Floats corners = with("align_corners");
  EXPECT_FLOAT_EQ(corners[1], 4.0F / 3);
  EXPECT_EQ(corners[3], 4);
}

TEST(Resize, BilinearMixesFourNeighbours) {
  const Tensor x = Tensor::from<float>({2, 2}, {0, 4, 8, 12});
  EXPECT_EQ(resized({{"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}}, x, sizes({3, 3})),
            (Floats{0, 2, 4, 4, 6, 8, 8, 10, 12}));
}

TEST(Resize, CubicPassesThroughItsPoints) {
  const AttributeList attributes = {{"mode", "cubic"}, {"coordinate_transformation_mode", "align_corners"}};
  const Floats y = resized(attributes, resized_row({1, 2, 4, 8}), sizes({7}));
  EXPECT_FLOAT_EQ(y[0], 1);
  EXPECT_FLOAT_EQ(y[2], 2);
  EXPECT_FLOAT_EQ(y[4], 4);
  // Halfway, Keys' kernel with a = -0.75 weighs -3/32, 19/32, 19/32, -3/32.
  EXPECT_FLOAT_EQ(y[3], (-3 * 1 + 19 * 2 + 19 * 4 - 3 * 8) / 32.0F);
}

TEST(Resize, ExcludeOutsideLetsTheOthersMakeUp) {
  // Halfway between the first two, without the neighbour before them: 19, 19, -3 of 35.
  const AttributeList attributes = {
      {"mode", "cubic"}, {"coordinate_transformation_mode", "align_corners"}, {"exclude_outside", 1L}};
  EXPECT_FLOAT_EQ(resized(attributes, resized_row({1, 2, 4, 8}), sizes({7}))[1], (19 * 1 + 19 * 2 - 3 * 4) / 35.0F);
}

TEST(Resize, AntialiasAveragesWhenShrinking) {
  // 4 to 2: a triangle four wide around 0.5 and 2.5, cut at the ends' copies: 3/8 3/8 1/8 and 1/8 beyond the end.
  const Floats y = resized({{"mode", "linear"}, {"antialias", 1L}}, resized_row({0, 8, 16, 24}), sizes({2}));
  EXPECT_FLOAT_EQ(y[0], (0 + 3 * 0 + 3 * 8 + 16) / 8.0F);
  EXPECT_FLOAT_EQ(y[1], (8 + 3 * 16 + 3 * 24 + 24) / 8.0F);
}

TEST(Resize, CropsAndExtrapolates) {
  const AttributeList attributes = {
      {"mode", "linear"}, {"coordinate_transformation_mode", "tf_crop_and_resize"}, {"extrapolation_value", 9.0F}};
  EXPECT_EQ(resized(attributes, resized_row({0, 4, 8}), sizes({3}), resized_row({0.5F, 1.5F})), (Floats{4, 8, 9}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(resized(attributes, resized_row({0, 4, 8}), sizes({2}), resized_row({nan, 1})), (Floats{9, 9}));
}

TEST(Resize, KeepsTheAspectRatio) {
  const Tensor x = Tensor::from<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto shape = [&](std::string_view policy) {
    return run_operator("Resize", 18, {{"keep_aspect_ratio_policy", std::string(policy)}},
                        {x, Tensor(), Tensor(), sizes({7, 8})})[0]
        .shape();
  };
  EXPECT_EQ(shape("not_larger"), (Shape{4, 8}));
  EXPECT_EQ(shape("not_smaller"), (Shape{7, 14}));
  EXPECT_EQ(shape("stretch"), (Shape{7, 8}));
}

TEST(Resize, AxesChooseWhatIsResized) {
  const Tensor x = Tensor::from<float>({2, 1}, {1, 2});
  const Tensor y = run_operator("Resize", 18, {{"axes", ints({-2})}}, {x, Tensor(), scales({2})})[0];
  EXPECT_EQ(y.shape(), (Shape{4, 1}));
  EXPECT_EQ(values<float>(y), (Floats{1, 1, 2, 2}));
}

TEST(Resize, Opset10FloorsWhenGrowingAndCeilsWhenShrinking) {
  EXPECT_EQ(values<float>(run_operator("Resize", 10, {}, {resized_row({1, 2, 3}), scales({1.5F})})[0]),
            (Floats{1, 1, 2, 3}));
  EXPECT_EQ(values<float>(run_operator("Resize", 10, {}, {counting<float>({5}), scales({0.4F})})[0]), (Floats{0, 3}));
}

TEST(Resize, IntegersTruncate) {
  const Tensor x = Tensor::from<std::uint8_t>({2}, {0, 7});
  const Tensor y = run_operator("Resize", 13, {{"mode", "linear"}}, {x, Tensor(), Tensor(), sizes({4})})[0];
  EXPECT_EQ(values<std::uint8_t>(y), (std::vector<std::uint8_t>{0, 1, 5, 7}));
}

TEST(Resize, MovesWideIntegersUnchanged) {
  const Tensor x = Tensor::from<std::int64_t>({1}, {INT64_MAX});
  EXPECT_EQ(values<std::int64_t>(run_operator("Resize", 13, {}, {x, Tensor(), scales({2})})[0]),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MAX}));
}

TEST(Resize, InfersWhatItCan) {
  const Dim n = Dim::symbol("N"), h = Dim::symbol("H");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, h});
  EXPECT_EQ(infer_operator("Resize", 13, {}, {x, Fact(), Fact::of(scales({1, 2}))}).shape, (SymbolicShape{n, Dim()}));
  EXPECT_EQ(infer_operator("Resize", 13, {}, {x, Fact(), Fact(), Fact::of(sizes({1, 2}))}).shape,
            (SymbolicShape{1, 2}));
  EXPECT_EQ(infer_operator("Resize", 13, {}, {x, Fact(), Fact(), fact(DType::kInt64, SymbolicShape{2})}).shape,
            (SymbolicShape{Dim(), Dim()}));
}

TEST(Resize, ChecksItsConstraints) {
  const Tensor x = counting<float>({2}), none;
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {Tensor::from_strings({1}, {"a"}), none, scales({2})}), "resize_c1");
  EXPECT_EQ(broken_constraint("Resize", 13, {{"mode", "sinc"}}, {x, none, scales({2})}), "resize_c2");
  EXPECT_EQ(broken_constraint("Resize", 13, {{"nearest_mode", "up"}}, {x, none, scales({2})}), "resize_c2");
  EXPECT_EQ(broken_constraint("Resize", 18, {{"axes", ints({1})}}, {x, none, scales({2})}), "resize_c3");
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none}), "resize_c4");
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none, scales({2}), sizes({4})}), "resize_c4");
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none, scales({2, 2})}), "resize_c4");
  EXPECT_EQ(broken_constraint("Resize", 13, {{"coordinate_transformation_mode", "tf_crop_and_resize"}},
                              {x, none, scales({2})}),
            "resize_c4");
  for (float scale :
       {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), 1e30F, std::numeric_limits<float>::infinity()})
    EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none, scales({scale})}), "resize_c5") << scale;
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none, none, sizes({-1})}), "resize_c5");
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {x, none, none, sizes({INT64_MAX})}), "resize_c5");
  EXPECT_EQ(broken_constraint("Resize", 13, {}, {Tensor(DType::kFloat, {0}), none, none, sizes({3})}), "resize_c5");
}

TEST(Upsample, RepeatsElements) {
  const Tensor x = Tensor::from<float>({1, 1, 2, 1}, {1, 2});
  const AttributeList by_attributes = {{"height_scale", 2.0F}, {"width_scale", 2.0F}};
  EXPECT_EQ(values<float>(run_operator("Upsample", 1, by_attributes, {x})[0]), (Floats{1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(values<float>(run_operator("Upsample", 7, {{"scales", std::vector<float>{1, 1, 1, 3}}}, {x})[0]),
            (Floats{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(values<float>(run_operator("Upsample", 9, {}, {resized_row({1, 2}), scales({1.5F})})[0]),
            (Floats{1, 1, 2}));
}

TEST(Upsample, InterpolatesLinearly) {
  EXPECT_EQ(values<float>(run_operator("Upsample", 9, {{"mode", "linear"}}, {resized_row({0, 4}), scales({2})})[0]),
            (Floats{0, 2, 4, 4}));
}

TEST(Upsample, ChecksItsConstraints) {
  const Tensor x = counting<float>({2});
  EXPECT_EQ(broken_constraint("Upsample", 9, {}, {Tensor::from_strings({1}, {"a"}), scales({2})}), "upsample_c1");
  EXPECT_EQ(broken_constraint("Upsample", 9, {{"mode", "cubic"}}, {x, scales({2})}), "upsample_c2");
  EXPECT_EQ(broken_constraint("Upsample", 9, {}, {x, scales({0.5F})}), "upsample_c3");
  EXPECT_EQ(broken_constraint("Upsample", 9, {}, {x, scales({2, 2})}), "upsample_c3");
  EXPECT_EQ(broken_constraint("Upsample", 7, {}, {x}), "upsample_c3");
}

}  // namespace
}  // namespace octet
