#include "octet/quantize/bias_correction.h"

#include <algorithm>
#include <cmath>

#include "octet/base/fail.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/quantize/channel_statistics.h"
#include "octet/quantize/weight_channels.h"

namespace octet {
namespace {

using Means = std::map<std::string, std::vector<double>>;

bool has_channels_last(const Node& node) { return !is(node, ops::kConv); }

const Node* find_node(const Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.name == name; });
  return found == graph.nodes.end() ? nullptr : &*found;
}

class BiasCorrector {
 public:
  BiasCorrector(Model model, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                BiasCorrection method, const SampleRuns& runs, const Progress& progress)
      : model_(std::move(model)),
        names_(model_.graph),
        ranges_(ranges),
        options_(options),
        selection_(selection),
        method_(method),
        runs_(runs),
        progress_(progress) {}

  Corrected run() {
    find_layers();
    const bool empirical = method_ == BiasCorrection::kEmpirical;
    total_ = empirical ? layers_.size() + 1 : 1;
    ChannelTensors tensors;
    for (const std::size_t i : layers_) {
      const Node& node = model_.graph.nodes[i];
      tensors[empirical ? node.outputs[0] : node.inputs[0]] = has_channels_last(node);
    }
    const Means means = observed(model_, tensors);
    const Plan uncorrected = empirical ? Plan() : quantized();
    for (const std::size_t i : layers_) {
      const Node& node = model_.graph.nodes[i];
      correct(i, empirical ? measured_shift(node, means.at(node.outputs[0]))
                           : computed_shift(node, uncorrected, means.at(node.inputs[0])));
    }
    return {std::move(model_), std::move(report_)};
  }

 private:
  Plan quantized() const { return plan(model_, ranges_, options_, selection_); }

  // The layers that are quantized and can be corrected; the others that are quantized are said.
  void find_layers() {
    const Plan decided = quantized();
    for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i) {
      const Node& node = model_.graph.nodes[i];
      if (!decided.report.at(i).weights) continue;  // a node has a verdict each: names may be there twice
      const Tensor& weights = find_initializer(model_.graph, node.inputs[1])->tensor;
      const std::string left = obstacle(node, weights);
      report_.push_back({.node = node.name, .left = left});
      if (left.empty()) layers_.push_back(i);
    }
  }

  std::string obstacle(const Node& node, const Tensor& weights) const {
    if (is(node, ops::kMatMul)) return "MatMul has no bias";
    if (std::ranges::count(model_.graph.nodes, node.name, &Node::name) > 1) return "another node has its name";
    const auto channels = is_plain_layer(node) ? output_channels(node, weights) : std::nullopt;
    if (!channels || !input_channels(node, weights)) return "not a plain Conv or Gemm";
    if (node.inputs.size() > 2 && !node.inputs[2].empty() &&
        find_initializer(model_.graph, node.inputs[2])->tensor.size() != channels->count())
      return "its bias is not one number per channel";
    return {};
  }

  Means observed(const Model& model, const ChannelTensors& tensors) {
    Means means;
    for (auto& [name, channels] : channel_statistics(model, tensors, runs_)) means[name] = std::move(channels.means);
    for (const auto& [name, last] : tensors)
      if (!means.contains(name)) fail(ErrorCode::kModel, "tensor {} has no channels of numbers to average", name);
    if (progress_) progress_(++done_, total_);
    return means;
  }

  std::vector<double> measured_shift(const Node& node, const std::vector<double>& wanted) {
    const Model written = write_qdq(quantized());
    const std::string result = find_node(written.graph, node.name)->outputs[0];
    std::vector<double> shift = observed(written, {{result, has_channels_last(node)}}).at(result);
    for (std::size_t m = 0; m < shift.size(); ++m) shift[m] -= wanted[m];
    return shift;
  }

  // Sum (w' - w) E[x], by output channel.
  std::vector<double> computed_shift(const Node& node, const Plan& decided, const std::vector<double>& x) const {
    const Tensor& weights = find_initializer(model_.graph, node.inputs[1])->tensor;
    const auto place =
        static_cast<std::size_t>(find_node(decided.model.graph, node.name) - decided.model.graph.nodes.data());
    const PlannedWeights& planned = *decided.nodes[place].weights;
    const WeightChannels outputs = *output_channels(node, weights), inputs = *input_channels(node, weights);
    std::vector<double> shift(static_cast<std::size_t>(outputs.count()), 0);
    for (std::int64_t i = 0; i < weights.size(); ++i) {
      const std::size_t m = outputs.of(i), parameters = planned.parameters.axis ? m : 0;
      const double stored = static_cast<double>(planned.values.int_at(i) - planned.parameters.zero_points[parameters]) *
                            static_cast<double>(planned.parameters.scales[parameters]);
      shift[m] += (stored - weights.number_at(i)) * x[inputs.of(i)];
    }
    return shift;
  }

  // Biases may be shared with other nodes, so the corrected one is an initializer of its own.
  void correct(std::size_t i, const std::vector<double>& shift) {
    Node& node = model_.graph.nodes[i];
    const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
    const auto channels = static_cast<std::int64_t>(shift.size());
    Tensor bias = has_bias ? find_initializer(model_.graph, node.inputs[2])->tensor.reshaped({channels})
                           : Tensor(DType::kFloat, {channels});
    const auto report = std::find_if(report_.begin(), report_.end(),
                                     [&](const CorrectedBias& entry) { return entry.node == node.name; });
    report->channels = shift.size();
    const auto values = bias.mutable_as<float>();
    for (std::size_t m = 0; m < shift.size(); ++m) {
      values[m] = static_cast<float>(static_cast<double>(values[m]) - shift[m]);
      report->largest = std::max(report->largest, std::fabs(shift[m]));
    }
    node.inputs.resize(3);
    node.inputs[2] = names_.make(node.name + "_corrected_bias");
    model_.graph.initializers.push_back({.name = node.inputs[2], .tensor = std::move(bias)});
  }

  Model model_;
  NewNames names_;
  const Ranges& ranges_;
  const StaticOptions& options_;
  const Selection& selection_;
  const BiasCorrection method_;
  const SampleRuns& runs_;
  const Progress& progress_;
  std::vector<std::size_t> layers_;
  std::vector<CorrectedBias> report_;
  std::size_t total_ = 0, done_ = 0;
};

}  // namespace

Corrected correct_biases(Model simplified, const Ranges& ranges, const StaticOptions& options,
                         const Selection& selection, BiasCorrection method, const SampleRuns& runs,
                         const Progress& progress) {
  return BiasCorrector(std::move(simplified), ranges, options, selection, method, runs, progress).run();
}

}  // namespace octet
