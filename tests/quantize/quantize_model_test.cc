// quantize_model: the networks in models/ are what it makes of models/resnet8.onnx, to the last byte.
#include "octet/quantize/quantize_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "octet/onnx/model_file.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Model resnet8() { return load_model("models/resnet8.onnx"); }

// Ten images as the network was trained on them: bytes over 255.
class QuantizeModel : public testing::Test {
 protected:
  QuantizeModel() { save_npy(load_npz("models/samples.npz").at("image"), folder_ / "images.npy"); }

  SampleRuns runs() const {
    return {.samples = [this](const Model& model) {
      return std::make_unique<SampleStream>(model, folder_ / "images.npy");
    }};
  }

  TemporaryFolder folder_;
};

TEST_F(QuantizeModel, MakesTheShippedNetworkOfTheShippedRanges) {
  const QuantizeResult result = quantize_model(resnet8(), {.ranges = "models/resnet8_ranges.json"});
  EXPECT_EQ(serialize_model(result.model), contents_of("models/resnet8_int8.onnx"));
  EXPECT_EQ(result.how,
            "static, qdq format, int8 activations, int8 weights per channel, minmax ranges of 5085 samples");
  EXPECT_EQ(to_string(*result.share), "15 of 16 computing steps");
  EXPECT_EQ(result.ranges->samples, 5085);
  EXPECT_EQ(result.report.size(), result.simplified.graph.nodes.size());
}

TEST_F(QuantizeModel, MakesTheShippedVariantsToo) {
  const auto made = [](const StaticOptions& options) {
    return serialize_model(
        quantize_model(resnet8(), {.options = options, .ranges = "models/resnet8_ranges.json"}).model);
  };
  EXPECT_EQ(made({.activations = DType::kUint8}), contents_of("models/resnet8_uint8.onnx"));
  EXPECT_EQ(made({.format = QuantizedFormat::kOperator}), contents_of("models/resnet8_int8_qoperator.onnx"));
}

TEST_F(QuantizeModel, ReturnsWhatAFileNeedsToGiveTheSameResult) {
  QuantizeOptions options{.runs = runs(), .observe_all = true};
  const QuantizeResult observed = quantize_model(resnet8(), options);
  EXPECT_EQ(observed.ranges->samples, 10);
  save_ranges(*observed.ranges, folder_ / "ranges.json");
  const QuantizeResult again = quantize_model(resnet8(), {.ranges = folder_ / "ranges.json"});
  EXPECT_EQ(serialize_model(again.model), serialize_model(observed.model));
  EXPECT_EQ(again.how, observed.how);
  // Ranges that 8 bits with these options do not need are not observed otherwise.
  options.observe_all = false;
  const QuantizeResult needed = quantize_model(resnet8(), options);
  EXPECT_LT(needed.ranges->ranges.size(), observed.ranges->ranges.size());
  EXPECT_EQ(serialize_model(needed.model), serialize_model(observed.model));
}

TEST_F(QuantizeModel, TellsWhatItKnowsBeforeItGoesOn) {
  std::vector<std::string> told;
  QuantizeOptions options{.runs = runs()};
  options.on_simplified = [&](const Model& model) {
    told.push_back("simplified");
    const bool folded = std::ranges::none_of(model.graph.nodes, [](const Node& node) {
      return node.op_type == "BatchNormalization" || node.op_type == "Identity";
    });
    EXPECT_TRUE(folded);
  };
  options.on_ranges = [&](const RangesFile& ranges) {
    told.push_back("ranges");
    EXPECT_EQ(ranges.samples, 10);
    throw Error(ErrorCode::kCancelled, "enough");
  };
  EXPECT_EQ(failure_of([&] { quantize_model(resnet8(), options); }).code(), ErrorCode::kCancelled);
  EXPECT_EQ(told, (std::vector<std::string>{"simplified", "ranges"}));
}

TEST_F(QuantizeModel, ReportsWhatTheRepairsChanged) {
  const QuantizeResult result = quantize_model(
      resnet8(),
      {.repairs = {.equalize = BoundedClamps::kLeave, .round_weights = true, .biases = BiasCorrection::kAnalytic},
       .runs = runs()});
  EXPECT_EQ(result.rounded.size(), 10U);  // nine convolutions and the dense layer
  EXPECT_EQ(result.corrected.size(), 10U);
  EXPECT_FALSE(result.equalized.empty());
  EXPECT_EQ(result.how,
            "static, qdq format, int8 activations, int8 weights per channel, minmax ranges of 10 samples, equalized, "
            "rounding optimized, biases corrected (analytic)");
}

TEST_F(QuantizeModel, QuantizesDynamicallyWithoutSamples) {
  const QuantizeResult result = quantize_model(resnet8(), {.dynamic = DynamicOptions{.symmetric_activations = true}});
  EXPECT_EQ(result.how, "dynamic, symmetric int8 activations, symmetric int8 weights per tensor");
  EXPECT_FALSE(result.ranges);
  EXPECT_EQ(std::ranges::count(result.report, true, &NodeVerdict::quantized), 10);
  const NamedTensors image = {{"image", load_npy("models/sample_image.npy")}};
  const float wanted = run_as_written(resnet8(), image).begin()->second.as<float>()[0];
  EXPECT_NEAR(run_as_written(result.model, image).begin()->second.as<float>()[0], wanted, 0.25);
}

TEST_F(QuantizeModel, RefusesWhatIsQuantizedAlready) {
  const Model quantized = load_model("models/resnet8_int8.onnx");
  QuantizeOptions options{.runs = runs(), .name = "a.onnx"};
  const Error refused = failure_of([&] { quantize_model(quantized, options); });
  EXPECT_EQ(refused.code(), ErrorCode::kUsage);
  EXPECT_TRUE(std::string(refused.what()).starts_with("a.onnx is quantized already: it has the node "))
      << refused.what();
  EXPECT_EQ(failure_of([&] { simplified_model(quantized); }).code(), ErrorCode::kUsage);
}

TEST_F(QuantizeModel, WantsSamplesOrRanges) {
  const Error refused = failure_of([] { quantize_model(resnet8(), {}); });
  EXPECT_EQ(refused.code(), ErrorCode::kUsage);
  EXPECT_TRUE(std::string(refused.what()).starts_with("static quantization needs ranges")) << refused.what();
}

TEST_F(QuantizeModel, SaysWhyTheResultHasNoProgram) {
  Model model = resnet8();
  const std::string output = model.graph.outputs[0].name;
  model.graph.nodes.push_back(
      {.name = "mystery", .op_type = "Mystery", .domain = "example.org", .inputs = {output}, .outputs = {"unknown"}});
  model.opset_imports.push_back({"example.org", 1});
  model.graph.outputs.push_back({.name = "unknown"});
  const QuantizeResult result = quantize_model(std::move(model), {.runs = runs()});
  EXPECT_FALSE(result.share);
  EXPECT_NE(result.no_program.find("Mystery"), std::string::npos) << result.no_program;
}

}  // namespace
}  // namespace octet
