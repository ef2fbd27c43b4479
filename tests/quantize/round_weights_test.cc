#include "octet/quantize/round_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octet/quantize/places.h"
#include "octet/quantize/repair.h"
#include "octet/quantize/weights.h"
#include "octet/system/npy.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// Numbers that depend on one another, as neighbouring pixels do: a slow wave in each sample, and a little noise.
Tensor correlated(Shape shape, unsigned seed) {
  Tensor tensor = Tensor::uninitialized(DType::kFloat, std::move(shape));
  const auto values = tensor.mutable_as<float>();
  const std::size_t size = values.size() / static_cast<std::size_t>(tensor.shape()[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    seed = seed * 1664525U + 1013904223U;
    const auto noise = static_cast<float>(static_cast<int>(seed >> 16) % 201 - 100) / 1000;
    values[i] =
        0.6F + 0.5F * std::sin(static_cast<float>(i / size) * 1.7F + static_cast<float>(i % size) * 0.02F) + noise;
  }
  return tensor;
}

Tensor weights_of(Shape shape, unsigned seed) {
  Tensor tensor = Tensor::uninitialized(DType::kFloat, std::move(shape));
  for (float& value : tensor.mutable_as<float>()) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<int>(seed >> 16) % 2001 - 1000) / 1000;
  }
  return tensor;
}

// Conv 3 x 3 with padding and stride, depthwise Conv, Flatten, Gemm.
Model three_layers() {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  Graph& graph = model.graph;
  Node conv{.name = "conv", .op_type = "Conv", .inputs = {"x", "w1", "b1"}, .outputs = {"a"}};
  conv.attributes.set("pads", std::vector<std::int64_t>{1, 0, 1, 2});
  conv.attributes.set("strides", std::vector<std::int64_t>{2, 1});
  Node depthwise{.name = "depthwise", .op_type = "Conv", .inputs = {"a", "w2"}, .outputs = {"b"}};
  depthwise.attributes.set("group", std::int64_t{4});
  Node gemm{.name = "gemm", .op_type = "Gemm", .inputs = {"c", "w3", "b3"}, .outputs = {"y"}};
  graph.nodes = {conv, depthwise, {.name = "flatten", .op_type = "Flatten", .inputs = {"b"}, .outputs = {"c"}}, gemm};
  graph.initializers = {{.name = "w1", .tensor = weights_of({4, 3, 3, 3}, 1)},
                        {.name = "b1", .tensor = weights_of({4}, 2)},
                        {.name = "w2", .tensor = weights_of({4, 1, 3, 3}, 3)},
                        {.name = "w3", .tensor = weights_of({48, 5}, 4)},
                        {.name = "b3", .tensor = weights_of({5}, 5)}};
  graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), 3, 8, 8}}}};
  graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), 5}}}};
  return model;
}
const Ranges kSeen = {{"x", {-0.1F, 1.3F}}, {"a", {-9, 9}}, {"b", {-20, 20}}, {"c", {-20, 20}}, {"y", {-60, 60}}};

class RoundWeights : public testing::Test {
 protected:
  RoundWeights() { save_npy(correlated({64, 3, 8, 8}, 7), folder_ / "x.npy"); }

  SampleRuns runs(int threads = 1, std::int64_t batch = 16) const {
    return {.samples = [this](const Model& model) { return std::make_unique<SampleStream>(model, folder_ / "x.npy"); },
            .batch = batch,
            .threads = threads};
  }
  Rounded rounded(const StaticOptions& options = {}, int threads = 1, std::int64_t batch = 16) const {
    return round_weights(three_layers(), kSeen, options, Selection(), runs(threads, batch));
  }

  TemporaryFolder folder_;
};

// The mean squared error of what the first layer makes of other samples than those that it was rounded for.
double held_out_error(const Model& model, const StaticOptions& options) {
  const Plan decided = plan(model, kSeen, options, Selection());
  const PlannedWeights& stored = *decided.nodes[0].weights;
  Model changed = three_layers();
  Tensor& weights = changed.graph.initializers[0].tensor;
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    const auto channel = static_cast<std::size_t>(stored.parameters.axis ? i / 27 : 0);
    weights.mutable_as<float>()[static_cast<std::size_t>(i)] =
        stored.parameters.scales[channel] *
        static_cast<float>(stored.values.int_at(i) - stored.parameters.zero_points[channel]);
  }
  const Tensor x = correlated({32, 3, 8, 8}, 12345);
  changed.graph.outputs = {{.name = "a", .type = {.dtype = DType::kFloat}}};
  Model exact = three_layers();
  exact.graph.outputs = changed.graph.outputs;
  const Tensor want = run_as_written(exact, {{"x", x}}).at("a"), found = run_as_written(changed, {{"x", x}}).at("a");
  double sum = 0;
  for (std::int64_t i = 0; i < want.size(); ++i) sum += std::pow(want.number_at(i) - found.number_at(i), 2);
  return sum / static_cast<double>(want.size());
}

TEST_F(RoundWeights, LowersTheErrorOfALayerOnSamplesThatItHasNotSeen) {
  for (const bool per_channel : {false, true})
    for (const bool symmetric : {false, true}) {
      const StaticOptions options{.symmetric_weights = symmetric, .per_channel = per_channel};
      EXPECT_LT(2 * held_out_error(rounded(options).model, options), held_out_error(three_layers(), options))
          << per_channel << symmetric;
    }
}

TEST_F(RoundWeights, KeepsScalesAndMovesIntegersByOne) {
  for (const bool symmetric : {false, true}) {
    const StaticOptions options{.symmetric_weights = symmetric, .per_channel = false};
    const Plan before = plan(three_layers(), kSeen, options, Selection());
    const Rounded result = rounded(options);
    const Plan after = plan(result.model, kSeen, options, Selection());
    ASSERT_EQ(result.layers.size(), 3U);
    std::size_t layer = 0;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      if (!before.nodes[i].weights) continue;
      EXPECT_EQ(after.nodes[i].weights->parameters, before.nodes[i].weights->parameters) << i;
      const Tensor &was = before.nodes[i].weights->values, &is = after.nodes[i].weights->values;
      std::size_t changed = 0;
      for (std::int64_t k = 0; k < was.size(); ++k) {
        EXPECT_LE(std::abs(was.int_at(k) - is.int_at(k)), 1);
        changed += was.int_at(k) != is.int_at(k) ? 1 : 0;
      }
      EXPECT_EQ(changed, result.layers[layer].changed) << result.layers[layer].node;
      EXPECT_GT(changed, 0U);
      EXPECT_EQ(result.layers[layer].weights, static_cast<std::size_t>(was.size()));
      EXPECT_GT(result.layers[layer].after, result.layers[layer].before);
      ++layer;
    }
  }
}

TEST_F(RoundWeights, DependsNeitherOnThreadsNorOnBatches) {
  const Rounded want = rounded();
  for (const auto& [threads, batch] : {std::pair<int, std::int64_t>{4, 16}, {1, 5}, {3, 64}}) {
    const Rounded found = rounded({}, threads, batch);
    for (std::size_t i = 0; i < want.model.graph.initializers.size(); ++i)
      EXPECT_EQ(found.model.graph.initializers[i].tensor, want.model.graph.initializers[i].tensor) << threads << batch;
    for (std::size_t i = 0; i < want.layers.size(); ++i) EXPECT_EQ(found.layers[i].after, want.layers[i].after);
  }
}

TEST_F(RoundWeights, GivesWeightsThatAreSharedBackToTheOthers) {
  Model model = three_layers();
  Node again = model.graph.nodes[0];
  again.name = "again";
  again.outputs = {"z"};
  again.inputs = {"x", "w1"};
  model.graph.nodes.push_back(again);
  model.graph.outputs.push_back({.name = "z", .type = {.dtype = DType::kFloat}});
  Ranges ranges = kSeen;
  ranges["z"] = {-9, 9};
  const Rounded result = round_weights(model, ranges, {}, Selection(), runs());
  EXPECT_EQ(result.model.graph.nodes[0].inputs[1], "conv_rounded_weights");
  EXPECT_EQ(find_initializer(result.model.graph, "w1")->tensor.shape(), (Shape{4, 3, 3, 3}));
}

TEST_F(RoundWeights, SaysWhatItLeaves) {
  Model model = three_layers();
  model.graph.nodes[3].attributes.set("beta", 2.0F);
  const Rounded result = round_weights(model, kSeen, {}, Selection(), runs());
  EXPECT_EQ(result.layers.back().left, "not a plain Conv, Gemm or MatMul");
  EXPECT_EQ(result.layers.back().changed, 0U);
}

TEST_F(RoundWeights, ComesBeforeBiasesAreCorrected) {
  const Repaired both = repair(three_layers(), kSeen, {}, Selection(),
                               {.round_weights = true, .biases = BiasCorrection::kAnalytic}, runs());
  const Rounded alone = rounded();
  EXPECT_EQ(find_initializer(both.model.graph, "w1")->tensor, find_initializer(alone.model.graph, "w1")->tensor);
  EXPECT_EQ(both.corrected.size(), 3U);
  EXPECT_EQ(both.model.graph.nodes[0].inputs[2], "conv_corrected_bias");
}

// (w' - w) G (w' - w), term by term.
double error_of(const std::vector<double>& d, const std::vector<std::vector<double>>& gram) {
  double sum = 0;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < d.size(); ++j) sum += d[i] * gram[i][j] * d[j];
  return sum;
}

// The page's description, computed anew for every weight that might move: fewer samples than products, so that the diagonal counts.
TEST_F(RoundWeights, IsTheDescentThatThePageDescribes) {
  constexpr std::int64_t kProducts = 12, kChannels = 6, kSamples = 5;
  const Tensor x = weights_of({kSamples, kProducts}, 11), w = weights_of({kProducts, kChannels}, 12);
  save_npy(x, folder_ / "x.npy");
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  model.graph.nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}}};
  model.graph.initializers = {{.name = "w", .tensor = w}};
  const auto rows = [](std::int64_t size) { return SymbolicShape{Dim::symbol("N"), size}; };
  model.graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = rows(kProducts)}}};
  model.graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = rows(kChannels)}}};
  const Ranges ranges = {{"x", {-1, 1}}, {"y", {-9, 9}}};
  const Plan nearest = plan(model, ranges, {}, Selection());
  const Rounded found = round_weights(model, ranges, {}, Selection(), runs());
  const Plan decided = plan(found.model, ranges, {}, Selection());

  std::vector<std::vector<double>> seen(kProducts, std::vector<double>(kProducts, 0));
  double trace = 0, signal = 0, before = 0, after = 0;
  for (std::int64_t i = 0; i < kProducts; ++i) {
    for (std::int64_t j = 0; j < kProducts; ++j)
      for (std::int64_t n = 0; n < kSamples; ++n)
        seen[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] +=
            x.number_at(n * kProducts + i) * x.number_at(n * kProducts + j);
    trace += seen[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)];
  }
  auto raised = seen;
  for (std::size_t i = 0; i < kProducts; ++i) raised[i][i] += trace / kSamples;
  std::size_t moved = 0;
  for (std::int64_t m = 0; m < kChannels; ++m) {
    const auto scale = static_cast<double>(nearest.nodes[0].weights->parameters.scales[static_cast<std::size_t>(m)]);
    std::vector<double> weights, d;
    std::vector<std::int64_t> integers;
    for (std::int64_t k = 0; k < kProducts; ++k) {
      weights.push_back(w.number_at(k * kChannels + m));
      integers.push_back(nearest.nodes[0].weights->values.int_at(k * kChannels + m));
      d.push_back(scale * static_cast<double>(integers.back()) - weights.back());
    }
    signal += error_of(weights, seen);
    before += error_of(d, seen);
    const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < kProducts; ++k) {
        if (weights[k] == *low || weights[k] == *high) continue;
        std::vector<double> other = d;
        const std::int64_t integer = integers[k] + (d[k] > 0 ? -1 : 1);
        other[k] = scale * static_cast<double>(integer) - weights[k];
        if (error_of(other, raised) >= error_of(d, raised)) continue;
        d = other;
        integers[k] = integer;
        changed = true;
      }
    }
    after += error_of(d, seen);
    for (std::int64_t k = 0; k < kProducts; ++k) {
      EXPECT_EQ(decided.nodes[0].weights->values.int_at(k * kChannels + m), integers[static_cast<std::size_t>(k)])
          << k << ", " << m;
      moved += integers[static_cast<std::size_t>(k)] != nearest.nodes[0].weights->values.int_at(k * kChannels + m);
    }
  }
  EXPECT_GT(moved, 5U);
  EXPECT_EQ(found.layers[0].changed, moved);
  EXPECT_NEAR(found.layers[0].before, 10 * std::log10(signal / before), 1e-6);
  EXPECT_NEAR(found.layers[0].after, 10 * std::log10(signal / after), 1e-6);
}

// Of steps of 0.01 one end of the range is 100.55 and the other 154.45: both are rounded to the same side, and the other integer
// next to the first would take most of the error back. The ends make the scale and the zero point, so they stay.
TEST_F(RoundWeights, KeepsBothEndsOfTheRange) {
  save_npy(Tensor::from<float>({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1}), folder_ / "x.npy");
  for (const float sign : {1.0F, -1.0F}) {
    Model model;
    model.ir_version = 8;
    model.opset_imports = {{"", 17}};
    model.graph.nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}}};
    model.graph.initializers = {
        {.name = "w", .tensor = Tensor::from<float>({2, 1}, {sign * -1.0055F, sign * 1.5445F})}};
    const auto rows = [](std::int64_t size) { return SymbolicShape{Dim::symbol("N"), size}; };
    model.graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = rows(2)}}};
    model.graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = rows(1)}}};
    const Rounded found = round_weights(model, {{"x", {0, 1}}, {"y", {-3, 3}}},
                                        {.symmetric_weights = false, .per_channel = false}, Selection(), runs());
    ASSERT_EQ(found.layers.size(), 1U);
    EXPECT_EQ(found.layers[0].left, "");
    EXPECT_EQ(found.layers[0].changed, 0U) << sign;
  }
}

TEST(Places, AreSpreadAndDilated) {
  const Node product{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"y"}};
  const Tensor x = Tensor::from<float>({1, 8, 1}, {0, 1, 2, 3, 4, 5, 6, 7}), w = Tensor::from<float>({1, 1}, {1});
  EXPECT_EQ(places_of(product, w, x, 2), (std::vector<float>{2, 6}));
  EXPECT_EQ(places_of(product, w, x, 3), (std::vector<float>{1, 4, 6}));
  Node conv{.name = "conv", .op_type = "Conv", .inputs = {"x", "w"}, .outputs = {"y"}};
  conv.attributes.set("dilations", std::vector<std::int64_t>{2});
  EXPECT_EQ(places_of(conv, Tensor::from<float>({1, 1, 2}, {1, 1}), Tensor::from<float>({1, 1, 5}, {0, 1, 2, 3, 4}), 9),
            (std::vector<float>{0, 2, 1, 3, 2, 4}));
}

// Weights of 1, one after the other, must find their own number at every place.
TEST(Places, AreWhatALayerMultiplies) {
  const Model model = three_layers();
  const Node& conv = model.graph.nodes[0];
  const Tensor x = correlated({2, 3, 8, 8}, 3), w = model.graph.initializers[0].tensor;
  const std::vector<float> rows = places_of(conv, w, x, 1000);  // 4 x 8 places
  ASSERT_EQ(rows.size(), 2U * 32 * 27);
  const auto b = model.graph.initializers[1].tensor.as<float>();
  Model first = model;
  first.graph.outputs = {{.name = "a", .type = {.dtype = DType::kFloat}}};
  const Tensor want = run_as_written(first, {{"x", x}}).at("a");
  for (std::size_t place = 0; place < 64; ++place)
    for (std::size_t m = 0; m < 4; ++m) {
      double sum = static_cast<double>(b[m]);
      for (std::size_t k = 0; k < 27; ++k)
        sum += static_cast<double>(w.as<float>()[m * 27 + k]) * static_cast<double>(rows[place * 27 + k]);
      EXPECT_NEAR(sum, want.number_at(static_cast<std::int64_t>(place / 32 * 128 + m * 32 + place % 32)), 1e-5);
    }
  EXPECT_EQ(places_of(conv, w, x, 5).size(), 2U * 5 * 27);
}

}  // namespace
}  // namespace octet
