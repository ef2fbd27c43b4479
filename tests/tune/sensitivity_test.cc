#include "octet/tune/sensitivity.h"

#include <gtest/gtest.h>

#include "octet/program/lower.h"
#include "octet/system/npz.h"
#include "octet/text/json.h"
#include "octet/tune/sensitivity_report.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// x [N,2] -> a = x A -> r = Relu(a) -> b = r B -> y = b + 1. A's channels may be scaled by powers of two, and B's rows
// divided by them: the same function.
Model two_layers(float first = 1, float second = 1) {
  return network("main (x) => (y) { a = MatMul (x, A)\n r = Relu (a)\n b = MatMul (r, B)\n y = Add (b, one) }",
                 {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 2})},
                 {{"A", Tensor::from<float>({2, 2}, {0.9F * first, 0.3F * second, -0.4F * first, 0.8F * second})},
                  {"B", Tensor::from<float>({2, 2}, {0.7F / first, -0.2F / first, 0.6F / second, 0.5F / second})},
                  {"one", f(1)}});
}

class SensitivityTest : public testing::Test {
 protected:
  SensitivityTest() {
    std::vector<float> x;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 64; ++i) {
      x.push_back(static_cast<float>(i % 8) / 4 - 1);
      x.push_back(static_cast<float>(i / 8) / 3.5F - 1);
      labels.push_back(i % 2);
    }
    save_npz({{"x", Tensor::from<float>({64, 2}, std::span<const float>(x))}}, folder_ / "plain.npz");
    save_npz({{"x", Tensor::from<float>({64, 2}, std::span<const float>(x))},
              {"y", Tensor::from<std::int64_t>({64}, std::span<const std::int64_t>(labels))}},
             folder_ / "labelled.npz");
  }
  Baseline baseline(const Model& model, const char* file = "plain.npz") const {
    const auto engine = make_engine("reference", lowered(model, Policy::kAsWritten));
    return Baseline(
        *engine, [=, this] { return std::make_unique<SampleStream>(model, folder_ / file); }, 7);
  }
  Sensitivity sensitivity(const Model& model, const char* file = "plain.npz") const {
    const Ranges ranges = {
        {"x", {-1, 1}}, {"a", {-1.3F, 1.3F}}, {"r", {0, 1.3F}}, {"b", {-0.3F, 1.5F}}, {"y", {0.7F, 2.5F}}};
    return measure_sensitivity(simplify_for_quantization(model), ranges, baseline(model, file),
                               {.quantization = {.per_channel = false}});
  }

  TemporaryFolder folder_;
};

TEST_F(SensitivityTest, TakesANodeAndItsReluForALayer) {
  const Sensitivity found = sensitivity(two_layers());
  ASSERT_EQ(found.layers.size(), 3U);
  for (const LayerSensitivity& layer : found.layers) {
    ASSERT_EQ(layer.layer.nodes.size(), layer.layer.name == "a" ? 2U : 1U) << layer.layer.name;
    EXPECT_GT(layer.alone.sqnr, found.all.sqnr) << layer.layer.name;
    EXPECT_GT(layer.spared.value().sqnr, found.all.sqnr) << layer.layer.name;
  }
  ASSERT_EQ(found.kinds.size(), 2U);
  double shares = 0;
  for (const LayerSensitivity& layer : found.layers) shares += layer.share;
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_LE(found.layers[0].alone.sqnr, found.layers[1].alone.sqnr);
}

TEST_F(SensitivityTest, PointsAtLayersWhoseChannelsWereScaled) {
  const Model twin = two_layers(16, 1 / 16.0F);
  const Ranges ranges = {{"x", {-1, 1}}, {"a", {-20, 20}}, {"r", {0, 20}}, {"b", {-0.3F, 1.5F}}, {"y", {0.7F, 2.5F}}};
  const Sensitivity found = measure_sensitivity(simplify_for_quantization(twin), ranges, baseline(twin),
                                                {.quantization = {.per_channel = false}});
  EXPECT_EQ(found.layers.back().layer.name, "y");
  EXPECT_LT(found.layers[1].alone.sqnr + 15, found.layers[2].alone.sqnr);
  const std::vector<Layer> half = worst_layers(found, std::nullopt);
  ASSERT_GE(half.size(), 1U);
  EXPECT_EQ(half[0].name, found.layers[0].layer.name);
  EXPECT_EQ(worst_layers(found, 2).size(), 2U);
  EXPECT_EQ(worst_layers(found, 9).size(), 3U);
}

TEST_F(SensitivityTest, CountsRightAnswersWhereThereAreLabels) {
  const Baseline labelled = baseline(two_layers(), "labelled.npz"), plain = baseline(two_layers());
  EXPECT_TRUE(labelled.labelled());
  EXPECT_FALSE(plain.labelled());
  EXPECT_EQ(labelled.score().samples(), 64);
  EXPECT_EQ(plain.score().samples(), 0);
  EXPECT_EQ(sensitivity(two_layers(), "labelled.npz").layers[0].alone.score.samples(), 64);
}

// Folders are named for their own reasons.
TEST_F(SensitivityTest, LooksAwayFromLabelsThatNoScoreIsFor) {
  const std::vector<float> x(8, 0.5F);
  const std::vector<std::int64_t> labels = {0, 1, 7, 1};
  save_npz({{"x", Tensor::from<float>({4, 2}, std::span<const float>(x))},
            {"y", Tensor::from<std::int64_t>({4}, std::span<const std::int64_t>(labels))}},
           folder_ / "others.npz");
  const Baseline others = baseline(two_layers(), "others.npz");
  EXPECT_FALSE(others.labelled());
  EXPECT_NE(others.unlabelled().find("sample 3 has the label 7"), std::string::npos) << others.unlabelled();
}

TEST_F(SensitivityTest, MeasuresANetworkBesideItself) {
  const auto engine = make_engine("fast", lowered(two_layers(), Policy::kAsWritten));
  EXPECT_EQ(baseline(two_layers()).measure(*engine).sqnr, std::numeric_limits<double>::infinity());
  EXPECT_NE(baseline(two_layers()).fingerprint(), baseline(two_layers(), "labelled.npz").fingerprint());
}

TEST_F(SensitivityTest, CalibratesMeasuresAndKeepsTheWorst) {
  const Trials trials = make_trials(two_layers(16, 1.0F / 16), {.samples = [this](const Model& model) {
                                      return std::make_unique<SampleStream>(model, folder_ / "plain.npz");
                                    }});
  const FindSensitivityOptions options{.quantization = {.per_channel = false},
                                       .keep = KeptLayers{.count = 1, .wide = true}};
  const FoundSensitivity found = find_sensitivity(trials, options);
  EXPECT_EQ(found.measured.layers.size(), 2U);
  ASSERT_EQ(found.kept.size(), 1U);
  EXPECT_EQ(found.kept[0].name, found.measured.layers[0].layer.name);
  ASSERT_EQ(found.decisions.size(), found.kept[0].nodes.size());
  EXPECT_EQ(found.decisions[0].choice.activations, DType::kInt16);
  const Json json = Json::parse(sensitivity_json(found, trials, "net.onnx"));
  EXPECT_EQ(json["calibration"], "minmax");
  EXPECT_EQ(json["samples"], 64);
  EXPECT_EQ(json["kept_wide"], Json{found.kept[0].name});
  EXPECT_EQ(json["kept_float"], Json::array());
  EXPECT_EQ(json["layers"].size(), 2U);
  const std::string text = sensitivity_text(found, *trials.baseline, 120);
  EXPECT_NE(text.find("dB at the outputs of 64 samples\n"), std::string::npos) << text;
  EXPECT_NE(sensitivity_picture(found, *trials.baseline).find("Noise at the outputs by layer, 64 samples"),
            std::string::npos);
  EXPECT_TRUE(find_sensitivity(trials, {.quantization = {.per_channel = false}}).decisions.empty());
}

TEST(WorstLayers, MakeHalfOfTheNoiseUnlessCounted) {
  Sensitivity sensitivity;
  for (const auto& [name, share] : {std::pair{"a", 0.4}, {"b", 0.3}, {"c", 0.3}, {"d", 0.0}})
    sensitivity.layers.push_back({.layer = {name, "Conv", {}}, .share = share});
  const auto names = [&](std::optional<int> count) {
    std::string text;
    for (const Layer& layer : worst_layers(sensitivity, count)) text += layer.name;
    return text;
  };
  EXPECT_EQ(names(std::nullopt), "ab");
  EXPECT_EQ(names(1), "a");
  EXPECT_EQ(names(9), "abcd");
  sensitivity.layers[0].share = 0.5;
  EXPECT_EQ(names(std::nullopt), "a") << "half is enough";
}

TEST(RulesText, KeepsWhatARuleSays) {
  const NodeChoice choice{
      .per_channel = false, .symmetric_weights = true, .activations = DType::kUint16, .range = Range{-0.1F, 2.55F}};
  const NodeChoice read = parse_rules(rules_text({{"conv", "Conv", choice}}))[0].choice;
  EXPECT_TRUE(read.quantize);
  EXPECT_EQ(read.per_channel, false);
  EXPECT_EQ(read.symmetric_weights, true);
  EXPECT_EQ(read.activations, DType::kUint16);
  EXPECT_EQ(read.range->min, -0.1F);
  EXPECT_EQ(read.range->max, 2.55F);
}

TEST(RulesText, IsWhatParseRulesReads) {
  const auto rules = parse_rules(rules_text({{"conv.1", "Conv", {.quantize = false}}, {"add", "Add", {}}}));
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_TRUE(rules[0].name->is_in("conv.1"));
  EXPECT_FALSE(rules[0].name->is_in("conv_1"));
  EXPECT_FALSE(rules[0].choice.quantize);
  EXPECT_TRUE(rules[1].choice.quantize);
  EXPECT_EQ(rules[1].op_type, "Add");
  const std::vector<Layer> layers = {
      {"conv", "Conv", {{"conv", "Conv", {.quantize = false}}, {"relu", "Relu", {.quantize = false}}}}};
  const auto wide = parse_rules(rules_text(wide_decisions(layers, DType::kUint8)));
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_TRUE(wide[1].choice.quantize);
  EXPECT_EQ(wide[1].choice.activations, DType::kUint16);
  EXPECT_EQ(parse_rules(rules_text(wide_decisions(layers, DType::kInt8)))[0].choice.activations, DType::kInt16);
  EXPECT_FALSE(parse_rules(rules_text(float_decisions(layers)))[0].choice.quantize);
}

}  // namespace
}  // namespace octet
