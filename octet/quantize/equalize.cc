#include "octet/quantize/equalize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "octet/graph/index.h"
#include "octet/graph/lookup.h"
#include "octet/quantize/channel_statistics.h"
#include "octet/quantize/clamp.h"
#include "octet/quantize/selection.h"
#include "octet/quantize/weight_channels.h"

namespace octet {
namespace {

constexpr int kMostRounds = 100;
constexpr int kMostExponent = 60;  // far beyond any use, and far from float32's ends

// A layer's own float32 constant, or null.
Initializer* own_constant(Graph& graph, const GraphIndex& index, const std::string& value) {
  if (!index.has_one_use(value)) return nullptr;
  const auto found = std::find_if(graph.initializers.begin(), graph.initializers.end(),
                                  [&](const Initializer& initializer) { return initializer.name == value; });
  if (found == graph.initializers.end() || found->tensor.dtype() != DType::kFloat) return nullptr;
  return &*found;
}

// Two layers that may be scaled against each other.
struct LayerPair {
  std::size_t first, second;         // nodes
  std::optional<std::size_t> clamp;  // with a bound above, between them
  bool is_clamped;                   // at 0 below
  Initializer *weights = nullptr, *bias = nullptr, *next_weights = nullptr;
  WeightChannels channels{}, next_channels{};
  std::vector<double> seen{};  // the largest magnitude of each channel between them; 0 where there was none
  EqualizedPair report;
};

void widen(std::vector<double>& magnitudes, const WeightChannels& channels, const Tensor& weights) {
  const auto values = weights.as<float>();
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    double& magnitude = magnitudes[channels.of(i)];
    magnitude = std::max(magnitude, static_cast<double>(std::fabs(values[static_cast<std::size_t>(i)])));
  }
}

void scale(Tensor& weights, const WeightChannels& channels, const std::vector<int>& exponents, int sign) {
  const auto values = weights.mutable_as<float>();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i) {
    float& value = values[static_cast<std::size_t>(i)];
    value = std::ldexp(value, sign * exponents[channels.of(i)]);
  }
}

// The exponents of s, by channel; channels without weights on either side, or beyond all numbers, stay.
std::vector<int> exponents_for(const LayerPair& pair) {
  const auto count = static_cast<std::size_t>(pair.channels.count());
  std::vector<double> unseen(count, 0), after(count, 0);
  widen(unseen, pair.channels, pair.weights->tensor);
  if (pair.bias) widen(unseen, {1, pair.channels.count(), 1}, pair.bias->tensor);
  widen(after, pair.next_channels, pair.next_weights->tensor);
  std::vector<int> exponents(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double before = pair.seen[i] > 0 ? pair.seen[i] : unseen[i];
    const double ratio = before / after[i];
    if (!(before > 0 && after[i] > 0 && std::isfinite(ratio))) continue;
    const int sum = std::ilogb(ratio) + 1;
    exponents[i] = std::clamp(-(sum >= 0 ? sum / 2 : (sum - 1) / 2), -kMostExponent, kMostExponent);
  }
  return exponents;
}

class Equalizer {
 public:
  Equalizer(Model model, const ChannelRanges& seen, BoundedClamps clamps)
      : model_(std::move(model)), index_(model_.graph), seen_(seen), clamps_(clamps) {}

  Equalized run() {
    for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i) add_pair(i);
    std::vector<std::vector<int>> totals;
    for (const LayerPair& pair : pairs_) totals.emplace_back(static_cast<std::size_t>(pair.channels.count()), 0);
    bool changed = true;
    for (int round = 0; changed && round < kMostRounds; ++round) {
      changed = false;
      for (std::size_t p = 0; p < pairs_.size(); ++p) changed = apply(pairs_[p], totals[p]) || changed;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) finish(pairs_[p], totals[p]);
    std::vector<EqualizedPair> reports = std::move(left_);
    for (LayerPair& pair : pairs_) reports.push_back(std::move(pair.report));
    std::stable_sort(reports.begin(), reports.end(), [&](const EqualizedPair& a, const EqualizedPair& b) {
      return place_.at(a.first) < place_.at(b.first);
    });
    return {std::move(model_), std::move(reports)};
  }

 private:
  Graph& graph() { return model_.graph; }

  // The layer that alone reads what layer `i` makes, through a Relu or a clamp; nothing where there is none.
  void add_pair(std::size_t i) {
    const Node& first = graph().nodes[i];
    place_[name_of(first)] = i;
    if (!is_plain_layer(first)) return;
    std::size_t next = i;
    std::optional<std::size_t> bounded;
    bool clamped = false;
    do {
      if (!index_.has_one_use(graph().nodes[next].outputs[0])) return;
      const std::string& made = graph().nodes[next].outputs[0];
      next = index_.consumers(made)[0];
      if (graph().nodes[next].inputs.empty() || graph().nodes[next].inputs[0] != made) return;
      if (is_bounded(graph().nodes[next])) {
        if (bounded) return;
        bounded = next;
      }
      clamped = clamped || is_clamp(graph().nodes[next]);
    } while (is_clamp(graph().nodes[next]));
    if (!is_plain_layer(graph().nodes[next]) || graph().nodes[next].outputs[0].empty()) return;
    LayerPair pair{.first = i, .second = next, .clamp = bounded, .is_clamped = clamped};
    pair.report = {.first = name_of(first), .second = name_of(graph().nodes[next])};
    pair.report.left = obstacle(pair);
    if (pair.report.left.empty())
      pairs_.push_back(std::move(pair));
    else
      left_.push_back(std::move(pair.report));
  }

  // Relu, and what else cuts at 0 below: f(s x) = s f(x) for s > 0, where nothing is cut above.
  bool is_clamp(const Node& node) { return has(node, Trait::kClamp) && clamp_bounds(model_, node).low == 0.0F; }
  bool is_bounded(const Node& node) { return is_clamp(node) && clamp_bounds(model_, node).high; }

  std::string obstacle(LayerPair& pair) {
    const Node &first = graph().nodes[pair.first], &second = graph().nodes[pair.second];
    if (pair.clamp && clamps_ == BoundedClamps::kLeave)
      return fmt::format("{} cuts at one bound for all channels", name_of(graph().nodes[*pair.clamp]));
    pair.weights = own_constant(graph(), index_, first.inputs[1]);
    pair.next_weights = own_constant(graph(), index_, second.inputs[1]);
    const bool has_bias = first.inputs.size() > 2 && !first.inputs[2].empty();
    if (has_bias) pair.bias = own_constant(graph(), index_, first.inputs[2]);
    if (!pair.weights || !pair.next_weights || (has_bias && !pair.bias))
      return "weights or bias are not float32 constants of one layer alone";
    const auto channels = output_channels(first, pair.weights->tensor);
    const auto next_channels = input_channels(second, pair.next_weights->tensor);
    if (!channels || !next_channels || channels->count() != next_channels->count() ||
        (pair.bias && pair.bias->tensor.size() != channels->count()))
      return "their channels are not one to one";
    pair.channels = *channels;
    pair.next_channels = *next_channels;
    pair.seen = magnitudes(first.outputs[0], pair);
    return {};
  }

  // The largest magnitude of each channel between two layers, before any upper limit applies.
  std::vector<double> magnitudes(const std::string& made, const LayerPair& pair) const {
    std::vector<double> result(static_cast<std::size_t>(pair.channels.count()), 0);
    const auto found = seen_.find(made);
    if (found == seen_.end() || found->second.size() != result.size()) return result;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Range& range = found->second[i];
      result[i] = std::max(0.0F, pair.is_clamped ? range.max : std::max(range.max, -range.min));
    }
    return result;
  }

  static bool apply(LayerPair& pair, std::vector<int>& total) {
    const std::vector<int> exponents = exponents_for(pair);
    if (std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == 0; })) return false;
    scale(pair.weights->tensor, pair.channels, exponents, 1);
    if (pair.bias) scale(pair.bias->tensor, {1, pair.channels.count(), 1}, exponents, 1);
    scale(pair.next_weights->tensor, pair.next_channels, exponents, -1);
    for (std::size_t i = 0; i < total.size(); ++i) {
      total[i] += exponents[i];
      pair.seen[i] = std::ldexp(pair.seen[i], exponents[i]);
    }
    return true;
  }

  void finish(LayerPair& pair, const std::vector<int>& total) {
    std::vector<int> scaled = total;
    std::erase(scaled, 0);
    pair.report.channels = total.size();
    pair.report.scaled = scaled.size();
    if (!scaled.empty()) {
      const auto [low, high] = std::minmax_element(scaled.begin(), scaled.end());
      pair.report.smallest = *low;
      pair.report.largest = *high;
    }
    if (!pair.clamp || pair.report.scaled == 0) return;
    Node& clamp = graph().nodes[*pair.clamp];
    pair.report.replaced = name_of(clamp);
    clamp.op_type = "Relu";
    clamp.inputs.resize(1);
    clamp.attributes = {};
  }

  Model model_;
  GraphIndex index_;
  const ChannelRanges& seen_;
  BoundedClamps clamps_;
  std::vector<LayerPair> pairs_;
  std::vector<EqualizedPair> left_;
  std::map<std::string, std::size_t> place_;  // of nodes, by name
};

}  // namespace

ChannelRanges observed_channels(const Model& simplified, const SampleRuns& runs) {
  ChannelTensors tensors;
  for (const Node& node : simplified.graph.nodes)
    if (is_plain_layer(node)) tensors[node.outputs[0]] = !is(node, ops::kConv);
  ChannelRanges ranges;
  if (tensors.empty()) return ranges;
  for (auto& [name, channels] : channel_statistics(simplified, tensors, runs))
    ranges[name] = std::move(channels.ranges);
  return ranges;
}

Equalized equalize(Model simplified, const ChannelRanges& seen, BoundedClamps clamps) {
  return Equalizer(std::move(simplified), seen, clamps).run();
}

std::string to_string(const EqualizedPair& pair) {
  const std::string title = fmt::format("{} to {}: ", pair.first, pair.second);
  if (!pair.left.empty()) return title + "left as they are: " + pair.left;
  if (pair.scaled == 0) return title + "equal already";
  const std::string factors = pair.smallest == pair.largest ? fmt::format("2^{}", pair.smallest)
                                                            : fmt::format("2^{} to 2^{}", pair.smallest, pair.largest);
  return title + fmt::format("{} of {} channels times {}{}", pair.scaled, pair.channels, factors,
                             pair.replaced.empty() ? "" : ", " + pair.replaced + " replaced by Relu");
}

}  // namespace octet
