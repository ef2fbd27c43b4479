#include "octet/quantize/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "octet/base/fail.h"
#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/quantize/clamp.h"
#include "octet/quantize/observable.h"
#include "octet/quantize/pool_scale.h"
#include "octet/quantize/scale_groups.h"
#include "octet/quantize/weight_channels.h"
#include "octet/quantize/weighted_layer.h"

namespace octet {
namespace {

std::size_t data_inputs(const Rule& rule, const Node& node) {
  return rule.data_inputs < 0 ? node.inputs.size()
                              : std::min(node.inputs.size(), static_cast<std::size_t>(rule.data_inputs));
}

class Planner {
 public:
  Planner(Model model, const Ranges& ranges, const StaticOptions& options, const Selection& selection)
      : ranges_(ranges),
        selection_(selection),
        facts_(infer(model)),
        index_(model.graph),
        unobservable_(unobservable_values(model)) {
    plan_.model = std::move(model);
    plan_.options = options;
    plan_.nodes.resize(graph().nodes.size());
    choices_.resize(graph().nodes.size());
  }

  // The activations that become 8-bit.
  std::set<std::string> activations() {
    choose_nodes();
    std::set<std::string> result;
    for (const std::string& tensor : tensors_)
      if (!constant_of(graph(), tensor)) result.insert(tensor);
    return result;
  }

  // Those whose ranges rules want to be found in a way of their own. What has the scale of its input follows it there too.
  std::map<std::string, CalibrationOptions> calibrations(const CalibrationOptions& general) {
    choose_nodes();
    choose_groups();
    std::map<std::string, CalibrationOptions> result;
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      if (!plan_.nodes[i].rule) continue;
      const std::string& tensor = result_of(i);
      const auto input = result.find(graph().nodes[i].inputs[0]);
      if (choices_[i].calibration)
        result[tensor] = {*choices_[i].calibration, choices_[i].percentile.value_or(general.percentile),
                          encoding_of(groups_.of(tensor))};
      else if (groups_.follows(tensor) && input != result.end())
        result.emplace(tensor, input->second);
    }
    return result;
  }

  Plan run() {
    choose_nodes();
    for (const auto& [tensor, range] : ranges_)
      if (!is_finite(range))
        plan_.warnings.push_back(
            fmt::format("tensor {} is in [{}, {}]: what makes or reads it stays float", tensor, range.min, range.max));
    choose_groups();
    choose_activation_parameters();
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) quantize_weights(i);
    drop_redundant_clamps();
    return std::move(plan_);
  }

 private:
  Graph& graph() { return plan_.model.graph; }
  const StaticOptions& options() const { return plan_.options; }

  bool is_float32(const std::string& value) const {
    const auto it = facts_.find(value);
    return it != facts_.end() && it->second.dtype == DType::kFloat;
  }

  // Why the node can't be quantized, or nothing.
  std::string obstacle(std::size_t i) {
    const Node& node = graph().nodes[i];
    const Rule* rule = find_rule(node.domain, node.op_type);
    if (!node.subgraphs.empty()) return "the graphs that it runs stay as they are";
    if (!rule) return "no 8-bit form of " + node.op_type;
    if (node.inputs.empty() || node.outputs.empty()) return "not a plain node";
    for (std::size_t k = 0; k < data_inputs(*rule, node); ++k)
      if (!is_float32(node.inputs[k])) return "input " + node.inputs[k] + " is not float32";
    if (!is_float32(node.outputs[0])) return "output " + node.outputs[0] + " is not float32";
    if (const std::string without = tensor_without_range(node, *rule); !without.empty()) return without;
    switch (rule->kind) {
      case RuleKind::kWeighted: return weighted_layer_obstacle(graph(), facts_, node);
      case RuleKind::kSoftmax:
        if (index_.is_graph_output(node.outputs[0]))
          return "its result is the network's: 8 bits would lose the order of close classes";
        return {};
      case RuleKind::kMove:
        for (std::size_t k = 1; k < node.outputs.size(); ++k)
          if (!node.outputs[k].empty()) return "it has a second output";
        if (is(node, ops::kMaxPool) && plan_.model.opset(node) < 12)
          return "MaxPool takes 8-bit numbers from opset 12 on";
        return tensors_.contains(node.inputs[0]) ? "" : "its input is not quantized";
      case RuleKind::kClamp: {
        const auto [low, high] = clamp_bounds(plan_.model, node);
        if ((low && std::isnan(*low)) || (high && std::isnan(*high))) return "its bounds are not constant";
        const std::optional<std::size_t> producer = fused_producer(i);
        return producer || tensors_.contains(node.inputs[0]) ? "" : "its input is not quantized";
      }
      case RuleKind::kElementwise: return {};
    }
    return {};
  }

  // What is infinite for some sample, such as scores behind a mask of -inf, has no scale.
  std::string tensor_without_range(const Node& node, const Rule& rule) {
    std::vector<std::string> tensors(node.inputs.begin(),
                                     node.inputs.begin() + static_cast<std::ptrdiff_t>(data_inputs(rule, node)));
    const bool computed_weights = rule.kind == RuleKind::kWeighted && has_computed_weights(graph(), node);
    if (computed_weights) tensors.push_back(node.inputs[1]);
    tensors.push_back(node.outputs[0]);
    for (const std::string& tensor : tensors) {
      const Tensor* constant = constant_of(graph(), tensor);
      const auto seen = ranges_.find(tensor);
      const bool infinite = constant ? (rule.kind != RuleKind::kWeighted || computed_weights) && has_infinity(*constant)
                                     : seen != ranges_.end() && !is_finite(seen->second);
      if (infinite) return fmt::format("{} holds infinities", tensor);
      const auto lost = unobservable_.find(tensor);
      if (lost != unobservable_.end() && seen == ranges_.end())
        return fmt::format("{} depends on {}, which Octet does not compute: its range is not known", tensor,
                           lost->second);
    }
    return {};
  }

  static bool has_infinity(const Tensor& tensor) {
    const auto values = tensor.as<float>();
    return std::any_of(values.begin(), values.end(), [](float value) { return std::isinf(value); });
  }

  // The node whose result the clamp `i` can take before it is quantized.
  std::optional<std::size_t> fused_producer(std::size_t i) const {
    const std::string& input = plan_.model.graph.nodes[i].inputs[0];
    const std::optional<std::size_t> producer = index_.producer(input);
    if (!producer || !index_.has_one_use(input)) return std::nullopt;
    const PlannedNode& planned = plan_.nodes[*producer];
    const bool computes =
        planned.rule && (planned.rule->kind == RuleKind::kWeighted || planned.rule->kind == RuleKind::kElementwise);
    return computes && !planned.clamp ? producer : std::nullopt;
  }

  void choose_nodes() {
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) choose_node(i);
    if (tensors_.empty()) refuse();
  }

  void choose_node(std::size_t i) {
    const Node& node = graph().nodes[i];
    PlannedNode& planned = plan_.nodes[i];
    choices_[i] = selection_.choose(node, facts_);
    planned.reason = choices_[i].quantize ? obstacle(i) : choices_[i].reason;
    if (!planned.reason.empty()) return;
    planned.rule = find_rule(node.domain, node.op_type);
    if (planned.rule->kind == RuleKind::kClamp) {
      if (const std::optional<std::size_t> producer = fused_producer(i)) {
        plan_.nodes[*producer].clamp = i;
        tensors_.erase(node.inputs[0]);
        tensors_.insert(node.outputs[0]);
        return;
      }
    }
    for (std::size_t k = 0; k < data_inputs(*planned.rule, node); ++k) tensors_.insert(node.inputs[k]);
    if (planned.rule->kind == RuleKind::kWeighted && has_computed_weights(graph(), node))
      tensors_.insert(node.inputs[1]);
    tensors_.insert(node.outputs[0]);
    if (planned.rule->kind == RuleKind::kMove) groups_.follow(node.inputs[0], node.outputs[0]);
  }

  [[noreturn]] void refuse() {
    std::string why;
    for (std::size_t i = 0; i < graph().nodes.size() && i < 3; ++i)
      why += fmt::format("; {}: {}", describe(graph().nodes[i]), plan_.nodes[i].reason);
    fail(ErrorCode::kUsage, "nothing in this model can be quantized{}", why);
  }

  const std::string& result_of(std::size_t i) {
    const std::optional<std::size_t> clamp = plan_.nodes[i].clamp;
    return graph().nodes[clamp ? *clamp : i].outputs[0];
  }

  void choose_groups() {
    share_residual_scales();
    share_pool_scales();
    choose_types();
  }

  void share_residual_scales() {
    if (options().residual_form != ResidualForm::kSharedScale) return;
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      const Node& node = graph().nodes[i];
      if (!plan_.nodes[i].rule || !is(node, ops::kAdd)) continue;
      for (const std::string& input : node.inputs) groups_.join(result_of(i), input);
    }
  }

  // What the options say of a node that is an average pool.
  std::optional<PoolForm> pool_form(std::size_t i) {
    if (!plan_.nodes[i].rule) return std::nullopt;
    const Node& node = graph().nodes[i];
    if (is(node, ops::kAveragePool)) return options().average_pool_form;
    if (is(node, ops::kGlobalAveragePool)) return options().global_pool_form;
    return std::nullopt;
  }

  void share_pool_scales() {
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      if (pool_form(i) != PoolForm::kSharedScale) continue;
      groups_.follow(graph().nodes[i].inputs[0], result_of(i));
      plan_.nodes[i].reason = "has the scale of its input";
    }
  }

  // What rules say of activations.
  void choose_types() {
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      if (!plan_.nodes[i].rule) continue;
      const Node& node = graph().nodes[i];
      choose_range(i);
      if (!choices_[i].activations) continue;
      if (options().format == QuantizedFormat::kOperator && bits(*choices_[i].activations) > 8)
        fail(ErrorCode::kUsage, "{}: operator format has no 16-bit activations; use QDQ format", describe(node));
      if (options().format == QuantizedFormat::kOperator && *choices_[i].activations != options().activations)
        fail(ErrorCode::kUsage, "{}: operator format has one type of activations, which is {}; use QDQ format",
             describe(node), name(options().activations));
      for (const std::string& input : node.inputs) choose_type(input, i);
      choose_type(result_of(i), i);
    }
  }

  void choose_range(std::size_t i) {
    const NodeChoice& choice = choices_[i];
    if (!choice.range && !choice.calibration) return;
    if (plan_.nodes[i].rule->kind == RuleKind::kSoftmax)
      fail(ErrorCode::kUsage, "{}: a rule gives a {}, and a Softmax has the range from 0 to 1",
           describe(graph().nodes[i]), choice.range ? "range" : "calibration");
    const std::size_t first = ranged_.try_emplace(result_of(i), i).first->second;
    if (choices_[first].range != choice.range || choices_[first].calibration != choice.calibration ||
        choices_[first].percentile != choice.percentile)
      fail(ErrorCode::kUsage, "{} is the result of {} and of {}, and their rules say different things of its range",
           result_of(i), describe(graph().nodes[first]), describe(graph().nodes[i]));
    if (choice.range) given_[result_of(i)] = *choice.range;
  }

  void choose_type(const std::string& tensor, std::size_t i) {
    if (!tensors_.contains(tensor)) return;
    const DType wanted = *choices_[i].activations;
    const auto [found, is_first] = types_.try_emplace(groups_.of(tensor), wanted, i);
    auto& [dtype, asking] = found->second;
    if (bits(dtype) < bits(wanted))
      found->second = {wanted, i};
    else if (bits(dtype) == bits(wanted) && dtype != wanted)
      fail(ErrorCode::kUsage, "{} is {} by the rule for {} and {} by the rule for {}; wanted one of them", tensor,
           name(dtype), describe(graph().nodes[asking]), name(wanted), describe(graph().nodes[i]));
  }

  Encoding encoding_of(const std::string& group) const {
    Encoding encoding = options().activation_encoding();
    if (const auto found = types_.find(group); found != types_.end()) encoding.dtype = found->second.first;
    return encoding;
  }

  Range range_of(const std::string& tensor) {
    if (const Tensor* constant = constant_of(graph(), tensor)) return ranges_of(*constant, std::nullopt, tensor)[0];
    if (const auto given = given_.find(tensor); given != given_.end()) return given->second;
    const auto it = ranges_.find(tensor);
    if (it == ranges_.end())
      fail(ErrorCode::kUsage, "there is no range for tensor {}; calibrate this model to get one", tensor);
    const Range range = it->second;
    if (!is_finite(range) || range.min > range.max)
      fail(ErrorCode::kModel, "the range of tensor {} is [{}, {}]; wanted finite numbers in order", tensor, range.min,
           range.max);
    return range;
  }

  static ScaleAndZeroPoint unit_interval(const Encoding& encoding) {
    const auto [qmin, qmax] = integer_range(encoding.dtype);
    return {1.0F / static_cast<float>(qmax - qmin + 1), static_cast<std::int32_t>(qmin)};
  }

  // The parameters of the pool `i`, whose averages have that range.
  ScaleAndZeroPoint shifted(std::size_t i, const ScaleAndZeroPoint& input, const Range& range,
                            const Encoding& encoding) {
    const int divisor = largest_divisor(input, range, encoding);
    plan_.nodes[i].reason = "has the scale of its input" + (divisor == 1 ? "" : fmt::format(" over {}", divisor));
    return {input.scale / static_cast<float>(divisor), input.zero_point};
  }

  void choose_activation_parameters() {
    std::map<std::string, Range> ranges;  // by group
    std::map<std::string, int> leaders;   // by group: tensors that follow none
    std::set<std::string> given;          // groups with a range by a rule, whatever those that follow have
    for (const auto& [tensor, range] : given_) given.insert(groups_.of(tensor));
    for (const std::string& tensor : tensors_) {
      if (groups_.follows(tensor) && given.contains(groups_.of(tensor)) && !given_.contains(tensor)) continue;
      const Range range = range_of(tensor);
      const auto [it, first] = ranges.try_emplace(groups_.of(tensor), range);
      if (!first) it->second = widened(it->second, range);
      leaders[groups_.of(tensor)] += groups_.follows(tensor) ? 0 : 1;
    }
    std::map<std::string, ScaleAndZeroPoint> chosen;  // by group
    for (const auto& [group, range] : ranges) chosen[group] = choose(range, encoding_of(group));
    // In the order of the nodes, so that a pool's input has its parameters when the pool's turn comes. Where others have
    // a say in the scale, as the operands of an Add that share one, it stays as it is.
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      if (!plan_.nodes[i].rule) continue;
      const std::string& group = groups_.of(result_of(i));
      if (leaders.at(group) != 1) continue;
      if (plan_.nodes[i].rule->kind == RuleKind::kSoftmax) chosen[group] = unit_interval(encoding_of(group));
      // In front of a Relu or Clip the zero point of the input may be a bad one, and so may that of another type.
      const std::string& input = groups_.of(graph().nodes[i].inputs[0]);
      if (pool_form(i) == PoolForm::kShiftedScale && !plan_.nodes[i].clamp &&
          encoding_of(input).dtype == encoding_of(group).dtype)
        chosen[group] = shifted(i, chosen.at(input), ranges.at(group), encoding_of(group));
    }
    for (const std::string& tensor : tensors_) {
      const Range range = ranges.at(groups_.of(tensor));
      const auto [scale, zero_point] = chosen.at(groups_.of(tensor));
      if (range.min == 0 && range.max == 0)
        plan_.warnings.push_back(fmt::format("tensor {} is always 0; its scale is {}", tensor, scale));
      else if (range.min == range.max)
        plan_.warnings.push_back(fmt::format("tensor {} is always {}", tensor, range.min));
      plan_.activations[tensor] = {encoding_of(groups_.of(tensor)).dtype, {scale}, {zero_point}, std::nullopt};
    }
    for (const std::string& tensor : tensors_)
      if (const Tensor* constant = constant_of(graph(), tensor))
        plan_.constants[tensor] = quantize_constant(*constant, plan_.activations.at(tensor));
  }

  void quantize_weights(std::size_t i) {
    const Node& node = graph().nodes[i];
    PlannedNode& planned = plan_.nodes[i];
    if (!planned.rule || planned.rule->kind != RuleKind::kWeighted) return;
    const Tensor* weights = constant_of(graph(), node.inputs[1]);
    if (!weights) {
      const Parameters& parameters = plan_.activations.at(node.inputs[1]);
      if (Parameters fitting = parameters; raised_for_bias(i, fitting) > 0)
        plan_.warnings.push_back(fmt::format("{}: its bias saturates int32", describe(node)));
      quantize_bias_of(i, parameters);
      return;
    }
    Encoding encoding = options().weight_encoding();
    encoding.symmetric = choices_[i].symmetric_weights.value_or(encoding.symmetric);
    const bool per_channel = choices_[i].per_channel.value_or(options().per_channel);
    const std::optional<std::int64_t> axis = per_channel ? channel_axis(node, *weights) : std::nullopt;
    if (ranges_of(*weights, std::nullopt, node.inputs[1])[0] == Range{0, 0})
      plan_.warnings.push_back(fmt::format("{}: its weights are all 0", describe(node)));
    planned.weights.emplace();
    Parameters& parameters = planned.weights->parameters;
    parameters = choose_weight_parameters(*weights, axis, encoding, node.inputs[1]);
    if (const int raised = raised_for_bias(i, parameters))
      plan_.warnings.push_back(
          fmt::format("{}: {} weight scale(s) raised so that the bias fits int32", describe(node), raised));
    quantize_bias_of(i, parameters);
    planned.weights->values = quantize_constant(*weights, parameters);
  }

  float x_scale_of(std::size_t i) { return plan_.activations.at(graph().nodes[i].inputs[0]).scales[0]; }

  // Null where the layer has none.
  const Tensor* bias_of(std::size_t i) {
    const Node& node = graph().nodes[i];
    return node.inputs.size() > 2 ? constant_of(graph(), node.inputs[2]) : nullptr;
  }

  // How many of the weights' scales were raised so that the bias fits.
  int raised_for_bias(std::size_t i, Parameters& weights) {
    const Tensor* bias = bias_of(i);
    if (!bias) return 0;
    ranges_of(*bias, std::nullopt, graph().nodes[i].inputs[2]);
    return fit_scales_to_bias(weights, *bias, x_scale_of(i), options().weight_encoding().scale_form);
  }

  void quantize_bias_of(std::size_t i, const Parameters& weights) {
    const Node& node = graph().nodes[i];
    const Tensor* bias = bias_of(i);
    if (!bias) return;
    const float beta = is(node, ops::kGemm) ? node.attributes.get_float("beta", 1) : 1;
    plan_.nodes[i].bias = quantize_bias(bias->reshaped({bias->size()}), x_scale_of(i), weights, beta);
  }

  void report(std::size_t i) {
    const Node& node = graph().nodes[i];
    const PlannedNode& planned = plan_.nodes[i];
    NodeVerdict verdict{name_of(node), node.op_type, planned.rule != nullptr, planned.reason, choices_[i]};
    if (planned.rule) verdict.result = plan_.activations.at(result_of(i));
    if (planned.weights) verdict.weights = planned.weights->parameters;
    plan_.report.push_back(std::move(verdict));
  }

  void drop_redundant_clamps() {
    std::vector<Node> kept_nodes;
    std::vector<PlannedNode> kept;
    std::map<std::size_t, std::size_t> moved;
    std::set<std::size_t> dropped;
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      const std::optional<std::size_t> clamp = plan_.nodes[i].clamp;
      if (!clamp) continue;
      if (is_redundant(plan_.model, graph().nodes[*clamp], plan_.activations.at(graph().nodes[*clamp].outputs[0]))) {
        const std::string& result = graph().nodes[*clamp].outputs[0];
        plan_.unclamped[result] = std::exchange(graph().nodes[i].outputs[0], result);
        plan_.nodes[*clamp].reason = "absorbed by the saturation of " + name_of(graph().nodes[i]);
        plan_.nodes[i].clamp.reset();
        dropped.insert(*clamp);
      } else {
        plan_.nodes[*clamp].reason = "kept: the 8-bit range of its result reaches beyond its bounds";
      }
    }
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) report(i);
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (dropped.contains(i)) continue;
      moved[i] = kept.size();
      kept_nodes.push_back(std::move(graph().nodes[i]));
      kept.push_back(std::move(plan_.nodes[i]));
    }
    for (PlannedNode& node : kept)
      if (node.clamp) node.clamp = moved.at(*node.clamp);
    graph().nodes = std::move(kept_nodes);
    plan_.nodes = std::move(kept);
  }

  const Ranges& ranges_;
  const Selection& selection_;
  Facts facts_;
  GraphIndex index_;
  const std::map<std::string, std::string> unobservable_;
  Plan plan_;
  std::vector<NodeChoice> choices_;
  std::set<std::string> tensors_;  // that become 8-bit
  ScaleGroups groups_;
  std::map<std::string, std::pair<DType, std::size_t>> types_;  // by group, and the node whose rule says so
  std::map<std::string, std::size_t> ranged_;                   // the first node whose rule says what range it has
  std::map<std::string, Range> given_;                          // by rules
};

void validate(const StaticOptions& options) {
  const auto [qmin, qmax] = integer_range(options.activations);
  if (!is_integer(options.activations) || qmax - qmin < 255 || qmax - qmin > 65535)
    fail(ErrorCode::kUsage, "activations of type {}; wanted int8, uint8, int16 or uint16", name(options.activations));
  if (options.weights != DType::kInt8 && options.weights != DType::kUint8)
    fail(ErrorCode::kUsage, "weights of type {}; wanted int8 or uint8", name(options.weights));
  if (options.format == QuantizedFormat::kOperator && qmax - qmin > 255)
    fail(ErrorCode::kUsage, "operator format has no 16-bit activations; use QDQ format");
}

}  // namespace

std::set<std::string> tensors_to_observe(const Model& model, const StaticOptions& options, const Selection& selection) {
  validate(options);
  return Planner(model, {}, options, selection).activations();
}

std::map<std::string, CalibrationOptions> calibrations_by_rules(const Model& model, const StaticOptions& options,
                                                                const Selection& selection,
                                                                const CalibrationOptions& general) {
  validate(options);
  return Planner(model, {}, options, selection).calibrations(general);
}

Plan plan(Model simplified, const Ranges& ranges, const StaticOptions& options, const Selection& selection) {
  validate(options);
  return Planner(std::move(simplified), ranges, options, selection).run();
}

}  // namespace octet
