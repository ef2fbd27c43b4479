// BatchNormalization, InstanceNormalization and LayerNormalization.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

std::vector<Tensor> batch_inputs(Shape parameters) {
  const std::size_t count = static_cast<std::size_t>(element_count(parameters));
  const auto filled = [&](float value) { return Tensor::from<float>(parameters, Floats(count, value)); };
  return {filled(2), filled(10), filled(1), filled(4)};  // scale, b, mean, var
}

TEST(BatchNormalization, NormalizesEachChannel) {
  const Tensor x = Tensor::from<float>({1, 2, 2}, {1, 3, 5, 7});
  const std::vector<Tensor> inputs = {x, Tensor::from<float>({2}, {1, 2}), Tensor::from<float>({2}, {0, 10}),
                                      Tensor::from<float>({2}, {1, 3}), Tensor::from<float>({2}, {1, 4})};
  EXPECT_EQ(values<float>(run_operator("BatchNormalization", 9, {{"epsilon", 0.0F}}, inputs)[0]),
            (Floats{0, 2, 12, 14}));
}

TEST(BatchNormalization, WithoutSpatialNormalizesEachElement) {
  std::vector<Tensor> inputs = batch_inputs({1, 2});
  inputs.insert(inputs.begin(), Tensor::from<float>({1, 1, 2}, {1, 3}));
  EXPECT_EQ(values<float>(run_operator("BatchNormalization", 7, {{"epsilon", 0.0F}, {"spatial", 0L}}, inputs)[0]),
            (Floats{10, 12}));
}

TEST(BatchNormalization, TrainsOnTheBatch) {
  // mean 4, variance 4; the running ones move a tenth of the way from 1 and 4.
  std::vector<Tensor> inputs = batch_inputs({1});
  inputs.insert(inputs.begin(), Tensor::from<float>({2, 1, 1}, {2, 6}));
  const auto y = run_operator("BatchNormalization", 15, {{"epsilon", 0.0F}, {"training_mode", 1L}}, inputs, 3);
  EXPECT_EQ(values<float>(y[0]), (Floats{8, 12}));
  EXPECT_FLOAT_EQ(static_cast<float>(y[1].number_at(0)), 1.3F);
  EXPECT_FLOAT_EQ(static_cast<float>(y[2].number_at(0)), 4.0F);
}

TEST(BatchNormalization, TakesParametersOfAnotherTypeFromOpset15) {
  std::vector<Tensor> inputs = batch_inputs({1});
  inputs.insert(inputs.begin(), convert(Tensor::from<float>({1, 1, 1}, {3}), DType::kFloat16));
  const Tensor y = run_operator("BatchNormalization", 15, {{"epsilon", 0.0F}}, inputs)[0];
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  EXPECT_EQ(y.number_at(0), 12.0);
  EXPECT_EQ(broken_constraint("BatchNormalization", 14, {}, inputs), "batch_normalization_c1");
}

TEST(BatchNormalization, ChecksItsConstraints) {
  std::vector<Tensor> inputs = batch_inputs({2});
  inputs.insert(inputs.begin(), counting<float>({1, 3, 1}));
  EXPECT_EQ(broken_constraint("BatchNormalization", 9, {}, inputs), "batch_normalization_c2");
  inputs[0] = counting<float>({1, 2, 1});
  EXPECT_EQ(broken_constraint("BatchNormalization", 15, {}, inputs, 3), "batch_normalization_c3");
  EXPECT_EQ(failure_of([&] { run_operator("BatchNormalization", 9, {}, inputs, 5); }).code(), ErrorCode::kUnsupported);
}

TEST(InstanceNormalization, NormalizesEachPlane) {
  const Tensor x = Tensor::from<float>({2, 1, 2}, {1, 3, 10, 30});
  const Tensor scale = Tensor::from<float>({1}, {2}), b = Tensor::from<float>({1}, {5});
  EXPECT_EQ(values<float>(run_operator("InstanceNormalization", 6, {{"epsilon", 0.0F}}, {x, scale, b})[0]),
            (Floats{3, 7, 3, 7}));
}

// The bits of ONNX Runtime 1.31.1: of one element it does not leave b alone, because x * factor + (b - mean * factor) is rounded.
TEST(InstanceNormalization, RoundsAsOnnxRuntimeDoes) {
  const Tensor x = Tensor::from<float>({1, 2, 1}, {3.3F, -2.7F});
  const Tensor scale = Tensor::from<float>({2}, {0.5598234534263611F, 0.9905313849449158F});
  const Tensor b = Tensor::from<float>({2}, {-0.013453075662255287F, -0.9966185688972473F});
  EXPECT_EQ(values<float>(run_operator("InstanceNormalization", 22, {}, {x, scale, b})[0]),
            (Floats{-0.013427734F, -0.99664307F}));
}

TEST(InstanceNormalization, ChecksItsConstraints) {
  const Tensor x = counting<float>({1, 2, 2}), one = counting<float>({1}), two = counting<float>({2});
  EXPECT_EQ(broken_constraint("InstanceNormalization", 6, {}, {x, two, counting<double>({2})}),
            "instance_normalization_c1");
  EXPECT_EQ(broken_constraint("InstanceNormalization", 6, {}, {x, one, two}), "instance_normalization_c2");
}

TEST(LayerNormalization, NormalizesFromTheAxisOn) {
  const Tensor x = Tensor::from<float>({2, 2}, {1, 3, 10, 30}), scale = Tensor::from<float>({2}, {1, 2}),
               b = Tensor::from<float>({2}, {5, 6});
  const auto y = run_operator("LayerNormalization", 17, {{"epsilon", 0.0F}}, {x, scale, b}, 3);
  EXPECT_EQ(values<float>(y[0]), (Floats{4, 8, 4, 8}));
  EXPECT_EQ(y[1].shape(), (Shape{2, 1}));
  EXPECT_EQ(values<float>(y[1]), (Floats{2, 20}));
  EXPECT_EQ(values<float>(y[2]), (Floats{1, 0.1F}));
}

TEST(LayerNormalization, BroadcastsScaleOverAnyAxis) {
  const Tensor x = Tensor::from<float>({2, 2}, {1, 3, 10, 30}), scale = Tensor::from<float>({2, 1}, {1, 100});
  EXPECT_EQ(values<float>(run_operator("LayerNormalization", 17, {{"epsilon", 0.0F}}, {x, scale})[0]),
            (Floats{-1, 1, -100, 100}));
}

TEST(LayerNormalization, StashesInTheTypeAskedFor) {
  const Tensor x = convert(Tensor::from<float>({1, 2}, {1, 3}), DType::kFloat16);
  const Tensor scale = convert(Tensor::from<float>({2}, {1, 1}), DType::kFloat16);
  auto y = run_operator("LayerNormalization", 17, {{"epsilon", 0.0F}}, {x, scale}, 2);
  EXPECT_EQ(y[0].dtype(), DType::kFloat16);
  EXPECT_EQ(y[1].dtype(), DType::kFloat);
  y = run_operator("LayerNormalization", 17, {{"stash_type", 16L}}, {x, scale}, 2);
  EXPECT_EQ(y[1].dtype(), DType::kBFloat16);
}

TEST(LayerNormalization, ChecksItsConstraints) {
  const Tensor x = counting<float>({2, 3}), scale = counting<float>({3});
  EXPECT_EQ(broken_constraint("LayerNormalization", 17, {}, {x, counting<double>({3})}), "layer_normalization_c1");
  EXPECT_EQ(broken_constraint("LayerNormalization", 17, {}, {x, counting<float>({2})}), "layer_normalization_c2");
  EXPECT_EQ(broken_constraint("LayerNormalization", 17, {}, {x, counting<float>({4, 2, 3})}), "layer_normalization_c2");
  EXPECT_EQ(broken_constraint("LayerNormalization", 17, {{"axis", 2L}}, {x, scale}), "layer_normalization_c3");
  EXPECT_EQ(broken_constraint("LayerNormalization", 17, {{"stash_type", 6L}}, {x, scale}), "layer_normalization_c4");
}

}  // namespace
}  // namespace octet
