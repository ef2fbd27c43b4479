#include "octet/quantize/bias_correction.h"

#include <gtest/gtest.h>

#include "octet/system/npy.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// y = x W + b with columns of W whose ranges are 2.55: the scale is 0.01, and the last of each is rounded, by -0.004 and -0.003.
Model rounded_product() {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  model.graph.nodes = {{.name = "dense", .op_type = "Gemm", .inputs = {"x", "w", "b"}, .outputs = {"y"}}};
  model.graph.initializers = {
      {.name = "w", .tensor = Tensor::from<float>({3, 2}, {0, -1.27F, 2.55F, 1.28F, 1.004F, 0.503F})},
      {.name = "b", .tensor = Tensor::from<float>({2}, {0.5F, -0.25F})}};
  const auto rows = [](std::int64_t size) { return SymbolicShape{Dim::symbol("N"), size}; };
  model.graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = rows(3)}}};
  model.graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = rows(2)}}};
  return model;
}

class BiasCorrections : public testing::Test {
 protected:
  // Multiples of the scale of x, 0.01, so that x is not rounded; the means are 1, 0.5 and 2.
  BiasCorrections() {
    save_npy(Tensor::from<float>({2, 3}, {0.5F, 0.25F, 1.5F, 1.5F, 0.75F, 2.5F}), folder_ / "x.npy");
  }

  Corrected corrected(BiasCorrection method, const Model& model = rounded_product()) const {
    const SampleRuns runs{
        .samples = [this](const Model& of) { return std::make_unique<SampleStream>(of, folder_ / "x.npy"); }};
    return correct_biases(model, {{"x", {0, 2.55F}}, {"y", {-5, 5}}}, {.symmetric_weights = false}, Selection(), method,
                          runs);
  }

  TemporaryFolder folder_;
};

TEST_F(BiasCorrections, TakeBackWhatRoundingAddsToTheMean) {
  for (const BiasCorrection method : {BiasCorrection::kAnalytic, BiasCorrection::kEmpirical}) {
    const Corrected found = corrected(method);
    const Node& dense = found.model.graph.nodes[0];
    EXPECT_EQ(dense.inputs[2], "dense_corrected_bias");
    const auto bias = find_initializer(found.model.graph, dense.inputs[2])->tensor.as<float>();
    // -0.004 and -0.003, times the mean of 2. The integers of the bias are steps of 0.0001.
    const double tolerance = method == BiasCorrection::kAnalytic ? 1e-6 : 1e-4;
    EXPECT_NEAR(bias[0], 0.508, tolerance);
    EXPECT_NEAR(bias[1], -0.244, tolerance);
    ASSERT_EQ(found.layers.size(), 1U);
    EXPECT_EQ(found.layers[0].channels, 2U);
    EXPECT_NEAR(found.layers[0].largest, 0.008, tolerance);
    const auto old = find_initializer(found.model.graph, "b")->tensor.as<float>();
    EXPECT_EQ(old[0], 0.5F) << "others may read it";
  }
}

TEST_F(BiasCorrections, GiveALayerABiasThatHasNone) {
  Model model = rounded_product();
  model.graph.nodes[0].inputs.resize(2);
  const Corrected found = corrected(BiasCorrection::kAnalytic, model);
  const auto bias = find_initializer(found.model.graph, found.model.graph.nodes[0].inputs.at(2))->tensor.as<float>();
  EXPECT_NEAR(bias[0], 0.008, 1e-6);
  EXPECT_NEAR(bias[1], 0.006, 1e-6);
}

TEST_F(BiasCorrections, SayWhatTheyLeave) {
  Model product = rounded_product();
  product.graph.nodes[0].op_type = "MatMul";
  product.graph.nodes[0].inputs.resize(2);
  EXPECT_EQ(corrected(BiasCorrection::kAnalytic, product).layers[0].left, "MatMul has no bias");
  Model twice = rounded_product();
  twice.graph.nodes.push_back({.name = "dense", .op_type = "Relu", .inputs = {"y"}, .outputs = {"z"}});
  twice.graph.outputs[0].name = "z";
  const Corrected left = correct_biases(
      twice, {{"x", {0, 2.55F}}, {"y", {-5, 5}}, {"z", {0, 5}}}, {}, Selection(), BiasCorrection::kAnalytic,
      {.samples = [this](const Model& of) { return std::make_unique<SampleStream>(of, folder_ / "x.npy"); }});
  EXPECT_EQ(left.layers[0].left, "another node has its name");
}

}  // namespace
}  // namespace octet
