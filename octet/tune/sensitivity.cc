#include "octet/tune/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "octet/graph/index.h"
#include "octet/program/lower.h"
#include "octet/quantize/pattern.h"
#include "octet/quantize/rules.h"

namespace octet {
namespace {

bool has_kind(const Node& node, std::initializer_list<RuleKind> kinds) {
  const Rule* rule = find_rule(node.domain, node.op_type);
  return rule && std::ranges::count(kinds, rule->kind) > 0;
}

NodeDecision float_node(const Node& node) { return {name_of(node), node.op_type, {.quantize = false}}; }

// This layer alone is quantized.
Selection only(const Layer& layer) {
  std::vector<NodeRule> rules;
  for (const NodeDecision& node : layer.nodes)
    rules.push_back({.op_type = node.op_type, .name = Pattern(pattern_of_name(node.name))});
  rules.push_back({.choice = {.quantize = false, .reason = "left float"}});
  return Selection({}, {}, std::move(rules));
}

Model quantized_model(const Model& simplified, const Ranges& ranges, const StaticOptions& options,
                      const Selection& selection) {
  return write_plan(plan(simplified, ranges, options, selection), options.format);
}

// All layers of an operator as one.
std::vector<Layer> kinds_of(const std::vector<Layer>& layers) {
  std::vector<Layer> kinds;
  for (const Layer& layer : layers) {
    auto kind = std::ranges::find(kinds, layer.op_type, &Layer::op_type);
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {layer.op_type, layer.op_type, {}});
    kind->nodes.insert(kind->nodes.end(), layer.nodes.begin(), layer.nodes.end());
  }
  return kinds;
}

// The power of the noise where the signal's is 1.
double noise_power(const Measured& measured) { return std::pow(10, -measured.sqnr / 10); }

// Worst first. Layers that break the outputs altogether share all of the noise.
void rank(std::vector<LayerSensitivity>& layers) {
  double sum = 0;
  const auto is_broken = [](const LayerSensitivity& layer) { return std::isinf(noise_power(layer.alone)); };
  for (const LayerSensitivity& layer : layers) sum += noise_power(layer.alone);
  const auto broken = static_cast<double>(std::ranges::count_if(layers, is_broken));
  for (LayerSensitivity& layer : layers)
    if (broken > 0)
      layer.share = is_broken(layer) ? 1 / broken : 0;
    else if (sum > 0)
      layer.share = noise_power(layer.alone) / sum;
  std::ranges::stable_sort(layers, {}, [](const LayerSensitivity& layer) { return layer.alone.sqnr; });
}

}  // namespace

std::vector<Layer> layers_of(const Model& simplified, const Ranges& ranges, const StaticOptions& options) {
  const GraphIndex index(simplified.graph);
  std::map<std::string, bool> is_quantized;
  for (const NodeVerdict& node : plan(simplified, ranges, options, Selection()).report)
    is_quantized[node.name] = node.quantized;
  std::vector<Layer> layers;
  for (const Node& node : simplified.graph.nodes) {
    if (!is_quantized[name_of(node)] || has_kind(node, {RuleKind::kMove, RuleKind::kClamp})) continue;
    Layer layer{name_of(node), node.op_type, {float_node(node)}, node.outputs[0]};
    if (index.has_one_use(node.outputs[0])) {
      const Node& reader = simplified.graph.nodes[index.consumers(node.outputs[0])[0]];
      if (has_kind(reader, {RuleKind::kClamp})) {
        layer.nodes.push_back(float_node(reader));
        layer.tensor = reader.outputs[0];
      }
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<NodeDecision> float_decisions(const std::vector<Layer>& layers) {
  std::vector<NodeDecision> decisions;
  for (const Layer& layer : layers) decisions.insert(decisions.end(), layer.nodes.begin(), layer.nodes.end());
  return decisions;
}

std::vector<NodeDecision> wide_decisions(const std::vector<Layer>& layers, DType activations) {
  std::vector<NodeDecision> decisions = float_decisions(layers);
  for (NodeDecision& node : decisions) {
    node.choice.quantize = true;
    node.choice.activations =
        activations == DType::kUint8 || activations == DType::kUint16 ? DType::kUint16 : DType::kInt16;
  }
  return decisions;
}

Selection selection_of(const std::vector<NodeDecision>& decisions) {
  return Selection({}, {}, parse_rules(rules_text(decisions)));
}

Sensitivity measure_sensitivity(const Model& simplified, const Ranges& ranges, const Baseline& baseline,
                                const SensitivityOptions& options) {
  const std::vector<Layer> layers = layers_of(simplified, ranges, options.quantization);
  const std::vector<Layer> kinds = options.only_alone ? std::vector<Layer>() : kinds_of(layers);
  const auto networks = [&](const std::vector<Layer>& of) {
    return of.size() * (options.only_alone || of.size() < 2 ? 1 : 2);
  };
  const std::size_t total = 1 + networks(layers) + networks(kinds);
  std::size_t done = 0;
  const auto measure = [&](const Selection& selection) {
    const auto engine = make_engine(
        options.engine, lower(quantized_model(simplified, ranges, options.quantization, selection), Policy::kExact),
        {.threads = options.threads});
    Measured measured = baseline.measure(*engine);
    if (options.progress) options.progress(++done, total);
    return measured;
  };
  Sensitivity result{.all = measure(Selection())};
  for (const auto& [found, of] : {std::pair{&result.layers, &layers}, {&result.kinds, &kinds}}) {
    for (const Layer& layer : *of) {
      found->push_back({layer, measure(only(layer)), std::nullopt});
      if (networks(*of) > of->size()) found->back().spared = measure(selection_of(layer.nodes));
    }
    rank(*found);
  }
  return result;
}

std::vector<Layer> worst_layers(const Sensitivity& sensitivity, std::optional<int> count) {
  std::vector<Layer> worst;
  double share = 0;
  for (const LayerSensitivity& layer : sensitivity.layers) {
    if (count ? static_cast<int>(worst.size()) >= *count : share >= 0.5 || layer.share == 0) break;
    worst.push_back(layer.layer);
    share += layer.share;
  }
  return worst;
}

}  // namespace octet
