#include "octet/simulate/unfused.h"

#include <algorithm>
#include <array>
#include <utility>

#include "octet/base/fail.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rename.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/unique_names.h"
#include "octet/quantize/observe.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/weight_channels.h"

namespace octet {
namespace {

constexpr std::array kStored = {&ops::kConv,
                                &ops::kGemm,
                                &ops::kMatMul,
                                &ops::kBatchNormalization,
                                &ops::kRelu,
                                &ops::kClip,
                                &ops::kAdd,
                                &ops::kMul,
                                &ops::kMaxPool,
                                &ops::kAveragePool,
                                &ops::kGlobalAveragePool,
                                &ops::kConvTranspose};

bool is_stored(const Node& node) { return std::ranges::find(kStored, operator_of(node)) != kStored.end(); }

bool has_weights(const Node& node) { return node.inputs.size() > 1 && has(node, Trait::kWeighted); }

// What is left of weights after 8 bits: scale * q.
Tensor through_8_bits(const Tensor& weights, std::optional<std::int64_t> axis, const std::string& name) {
  const Parameters parameters = choose_weight_parameters(weights, axis, {.symmetric = true}, name);
  const Tensor integers = quantize_constant(weights, parameters);
  const std::vector<std::int64_t> strides = strides_of(weights.shape());
  Tensor result(DType::kFloat, weights.shape());
  const std::span<float> to = result.mutable_as<float>();
  for (std::int64_t k = 0; k < weights.size(); ++k) {
    const std::size_t channel = axis ? static_cast<std::size_t>(k / strides[static_cast<std::size_t>(*axis)] %
                                                                weights.shape()[static_cast<std::size_t>(*axis)])
                                     : 0;
    to[static_cast<std::size_t>(k)] = parameters.scales[channel] * static_cast<float>(integers.int_at(k));
  }
  return result;
}

Node node_of(std::string_view op_type, std::vector<std::string> inputs, std::string output) {
  Node node;
  node.op_type = op_type;
  node.name = output;
  node.inputs = std::move(inputs);
  node.outputs = {std::move(output)};
  return node;
}

// Adds QuantizeLinear and DequantizeLinear between `from` and `to`.
void store(Graph& graph, NewNames& names, const std::string& from, const std::string& to, const Range& range) {
  const auto [scale, zero_point] = choose(range, {.dtype = DType::kUint8});
  Tensor scale_tensor(DType::kFloat, {}), zero_tensor(DType::kUint8, {});
  scale_tensor.mutable_as<float>()[0] = scale;
  zero_tensor.mutable_as<std::uint8_t>()[0] = static_cast<std::uint8_t>(zero_point);
  const std::string scale_name = names.of(to, "_scale"), zero_name = names.of(to, "_zero_point");
  graph.initializers.push_back({.name = scale_name, .tensor = std::move(scale_tensor)});
  graph.initializers.push_back({.name = zero_name, .tensor = std::move(zero_tensor)});
  const std::string stored = names.of(to, "_stored");
  graph.nodes.push_back(node_of("QuantizeLinear", {from, scale_name, zero_name}, stored));
  graph.nodes.push_back(node_of("DequantizeLinear", {stored, scale_name, zero_name}, to));
}

bool is_known_float(const Facts& facts, const std::string& value) {
  const auto fact = facts.find(value);
  return fact != facts.end() && fact->second.dtype == DType::kFloat;
}

}  // namespace

Model unfused_model(Model model, SampleStream& samples, const UnfusedOptions& options) {
  model = inline_branches(with_unique_names(expand_functions(std::move(model))));
  check_arguments(model);
  model = remove_unused(remove_identities(fold_constants(std::move(model))));
  if (model.opset("") < 10)
    fail(ErrorCode::kUsage, "the model has opset {}; QuantizeLinear wants 10 or more", model.opset(""));
  Graph& graph = model.graph;
  ObserveOptions observing{
      .batch = options.batch, .engine = options.engine, .threads = options.threads, .progress = options.progress};
  for (const Value& input : graph.inputs)
    if (input.type.dtype == DType::kFloat && !find_initializer(graph, input.name)) observing.tensors.insert(input.name);
  std::size_t stored = 0;
  const Facts facts = infer(model);
  for (const Node& node : graph.nodes)
    if (is_stored(node) && is_known_float(facts, node.outputs[0])) {
      observing.tensors.insert(node.outputs[0]);
      ++stored;
    }
  if (stored == 0) fail(ErrorCode::kUsage, "the model has no node whose result would be stored");
  const Ranges ranges = observe(model, samples, observing).ranges;

  NewNames names(graph);
  const std::vector<Node> nodes = std::exchange(graph.nodes, {});
  std::map<std::string, std::string> inputs;  // what nodes read in the place of an input
  for (const Value& input : graph.inputs)
    if (const auto range = ranges.find(input.name); range != ranges.end()) {
      inputs[input.name] = names.of(input.name, "_read");
      store(graph, names, input.name, inputs[input.name], range->second);
    }
  for (Node node : nodes) {
    const Initializer* weights = has_weights(node) ? find_initializer(graph, node.inputs[1]) : nullptr;
    if (weights && weights->tensor.dtype() == DType::kFloat) {
      const auto axis = options.per_channel ? channel_axis(node, weights->tensor) : std::nullopt;
      Tensor values = through_8_bits(weights->tensor, axis, node.inputs[1]);
      const std::string name = names.of(node.inputs[1], "_of_" + node.outputs[0]);
      graph.initializers.push_back({.name = name, .tensor = std::move(values)});
      node.inputs[1] = name;
    }
    rename_reads(node, inputs);
    const auto range = is_stored(node) ? ranges.find(node.outputs[0]) : ranges.end();
    if (range == ranges.end()) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    const std::string result = node.outputs[0];
    node.outputs[0] = names.of(result, "_float");
    graph.nodes.push_back(node);
    store(graph, names, node.outputs[0], result, range->second);
  }
  return remove_unused(std::move(model));
}

}  // namespace octet
