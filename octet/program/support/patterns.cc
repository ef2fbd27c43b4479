#include "octet/program/support/patterns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/base/error.h"
#include "octet/graph/lookup.h"
#include "octet/spec/clip_bounds.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "octet/spec/registry.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

// The numbers of scale and zero point, which defaults to 0. Nothing when they are computed, not float32, or not positive
// and, unless any are wanted, finite: quantization is monotone only then.
struct ParameterValues {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
};
std::optional<ParameterValues> parameter_values(const Draft& draft, const Node& node, Scales wanted = Scales::kFinite) {
  const Tensor* scale = draft.constant(node.inputs[1]);
  if (!scale || scale->dtype() != DType::kFloat || node.attributes.get_int("block_size", 0) != 0) return std::nullopt;
  if (!divides_in_float32(node.attributes) || node.attributes.get_int("output_dtype", 0) == 10 ||
      node.attributes.get_int("output_dtype", 0) == 16)
    return std::nullopt;  // rounded to something narrower than float32 on the way
  ParameterValues values;
  for (std::int64_t k = 0; k < scale->size(); ++k)
    values.scales.push_back(scale->as<float>()[static_cast<std::size_t>(k)]);
  if (values.scales.empty() || !std::all_of(values.scales.begin(), values.scales.end(), [&](float s) {
        return s > 0 && (wanted == Scales::kPositive || std::isfinite(s));
      }))
    return std::nullopt;
  values.zero_points.assign(values.scales.size(), 0);
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return values;
  const Tensor* zero_point = draft.constant(node.inputs[2]);
  if (!zero_point || zero_point->size() != scale->size()) return std::nullopt;
  for (std::size_t k = 0; k < values.scales.size(); ++k)
    values.zero_points[k] = static_cast<std::int32_t>(zero_point->int_at(static_cast<std::int64_t>(k)));
  return values;
}

// The operators on integers want their zero points said.
std::string zero_point_input(Draft& draft, const Node& node, DType dtype, std::size_t count) {
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) return node.inputs[2];
  return zero_point_constant(draft, node.inputs[1], dtype, count);
}

// From or to integers: float8 and float4 are none.
bool is_conversion(const Draft& draft, std::size_t step, const Operator& op) {
  if (draft.step(step).nodes.size() != 1 || !is(draft.node(step), op)) return false;
  const Node& node = draft.node(step);
  return !is_minifloat(draft.dtype(&op == &ops::kQuantizeLinear ? node.outputs[0] : node.inputs[0]));
}

}  // namespace

bool is_clamp(const Draft& draft, std::size_t step) {
  return draft.step(step).nodes.size() == 1 && has(draft.node(step), Trait::kClamp);
}

std::int32_t quantized(float value, DType dtype, const Quantization& quantization) {
  const QuantizedOutput output{quantization.zero_point, integer_range(dtype), ZeroPoint::kAfterRounding};
  return quantize_real(value / quantization.scale, output, Rounding::kTiesEven);
}

std::string text(float value) { return fmt::format("{}", value); }

std::string text(const Quantization& quantization) {
  return fmt::format("scale {}, zero point {}", quantization.scale, quantization.zero_point);
}

std::optional<Operand> find_operand(Draft& draft, const std::string& value, Scales scales) {
  const std::optional<std::size_t> step = draft.producer(value);
  if (!step || !is_conversion(draft, *step, ops::kDequantizeLinear)) return std::nullopt;
  const Node& node = draft.node(*step);
  const std::optional<ParameterValues> values = parameter_values(draft, node, scales);
  if (!values) return std::nullopt;
  Operand operand{.step = *step,
                  .integers = node.inputs[0],
                  .scale_name = node.inputs[1],
                  .zero_point_name = node.inputs.size() > 2 ? node.inputs[2] : "",
                  .dtype = draft.dtype(node.inputs[0]),
                  .scales = values->scales,
                  .zero_points = values->zero_points,
                  .axis = std::nullopt};
  const Tensor* scale = draft.constant(node.inputs[1]);
  if (scale->rank() == 1 && scale->size() != 1) operand.axis = node.attributes.get_int("axis", 1);
  return operand;
}

namespace {

// Conv, MatMul or Gemm with a dequantized constant for its second operand, whatever the form of its scales.
bool has_quantized_weights(const Draft& draft, const Node& node) {
  if (!is_weighted(node) || node.inputs.size() < 2) return false;
  const std::optional<std::size_t> step = draft.producer(node.inputs[1]);
  return step && is_conversion(draft, *step, ops::kDequantizeLinear) && draft.constant(draft.node(*step).inputs[0]);
}

}  // namespace

Operand operand_at(Draft& draft, const Node& node, std::size_t index, Scales scales) {
  if (index >= node.inputs.size() || node.inputs[index].empty())
    throw NotFused{fmt::format("input {} is absent", index)};
  const std::string& value = node.inputs[index];
  std::optional<Operand> operand = find_operand(draft, value, scales);
  if (operand) {
    if (operand->zero_point_name.empty() && operand->dtype != DType::kInt32 && operand->dtype != DType::kUndefined)
      operand->zero_point_name =
          zero_point_input(draft, draft.node(operand->step), operand->dtype, operand->scales.size());
    return *operand;
  }
  const std::optional<std::size_t> step = draft.producer(value);
  if (step && is_conversion(draft, *step, ops::kDequantizeLinear)) {
    if (const std::int64_t block = draft.node(*step).attributes.get_int("block_size", 0); block != 0)
      throw NotFused{
          fmt::format("{} has a scale for each block of {} numbers: their sum is no multiple of one scale, and float32 "
                      "rounds between the blocks",
                      value, block)};
    throw NotFused{fmt::format(
        "the scale or zero point of {} is not a positive float32 constant, one per tensor or channel", value)};
  }
  if (step && draft.is(*step, ops::kDequantizeLinear))
    throw NotFused{fmt::format("{} comes from {}, which is no integer", value,
                               octet::name(draft.dtype(draft.node(*step).inputs[0])))};
  if (index == 0 && has_quantized_weights(draft, node))
    throw NotFused{fmt::format("only its weights are quantized: {} is float", value)};
  throw NotFused{fmt::format("{} is float: it comes from {}, not from DequantizeLinear", value,
                             step                    ? describe(draft.node(*step))
                             : draft.constant(value) ? "a constant"
                                                     : "a graph input")};
}

void require_8bit(const Operand& operand, const std::string& what) {
  if (operand.dtype != DType::kInt8 && operand.dtype != DType::kUint8)
    throw NotFused{fmt::format("{} {} is {}, not of 8 bits as integer operators want", what, operand.integers,
                               name(operand.dtype))};
}

Operand whole_operand_at(Draft& draft, const Node& node, std::size_t index) {
  Operand operand = operand_at(draft, node, index);
  require_8bit(operand, "input");
  if (operand.scales.size() != 1)
    throw NotFused{fmt::format("{} has {} scales, and its integers need one", operand.integers, operand.scales.size())};
  return operand;
}

std::optional<Result> result_at(Draft& draft, std::size_t quantize) {
  if (!is_conversion(draft, quantize, ops::kQuantizeLinear)) return std::nullopt;
  const Node& node = draft.node(quantize);
  const std::optional<ParameterValues> values = parameter_values(draft, node);
  if (!values || values->scales.size() != 1) return std::nullopt;
  Result result{.quantize = quantize,
                .clamp = std::nullopt,
                .anchor = draft.producer(node.inputs[0]),
                .integers = node.outputs[0],
                .scale_name = node.inputs[1],
                .zero_point_name = {},
                .quantization = {values->scales[0], values->zero_points[0]},
                .dtype = draft.dtype(node.outputs[0])};
  if (!is_integer(result.dtype)) return std::nullopt;
  result.zero_point_name = node.inputs.size() > 2 ? node.inputs[2] : "";
  if (result.anchor && is_clamp(draft, *result.anchor)) {
    // Behind an operator that may be fused; alone, a clamp is an operator itself.
    const std::optional<std::size_t> before = draft.producer(draft.node(*result.anchor).inputs[0]);
    if (before && draft.step(*before).nodes.size() == 1 &&
        (is_weighted(draft.node(*before)) || is_elementwise(draft.node(*before)))) {
      result.clamp = result.anchor;
      result.anchor = before;
    }
  }
  return result;
}

bool same_parameters(const Operand& operand, const Result& result) {
  return operand.scales.size() == 1 && operand.dtype == result.dtype && operand.whole() == result.quantization;
}

Bounds bounds_of(const Draft& draft, const Node& clamp) {
  if (is(clamp, ops::kRelu)) return {0.0F, std::nullopt};
  const auto bounds = clip_bounds(clamp.attributes, draft.opset(clamp),
                                  [&](std::size_t i) { return i < clamp.inputs.size() && !clamp.inputs[i].empty(); });
  const auto value_of = [&](const ClipBound& bound) -> std::optional<float> {
    if (!bound.input) return bound.attribute;
    const Tensor* constant = draft.constant(clamp.inputs[*bound.input]);
    if (!constant || constant->dtype() != DType::kFloat || constant->size() != 1)
      throw NotFused{fmt::format("a bound of {} is computed", describe(clamp))};
    return constant->as<float>()[0];
  };
  return {value_of(bounds[0]), value_of(bounds[1])};
}

IntegerBounds integer_bounds(const Draft& draft, const Node& clamp, const Result& result) {
  const auto [low, high] = bounds_of(draft, clamp);
  for (const std::optional<float>& end : {low, high})
    if (end && std::isnan(*end)) throw NotFused{fmt::format("a bound of {} is NaN", describe(clamp))};
  const auto [qmin, qmax] = integer_range(result.dtype);
  const auto at = [&](float bound) { return quantized(bound, result.dtype, result.quantization); };
  return {low ? at(*low) : qmin, high ? at(*high) : qmax};
}

Reshaped reshape_result(Draft& draft, std::size_t index, const std::string& suffix) {
  const std::string made = draft.node(index).outputs[0];
  const std::optional<std::size_t> reader = draft.only_reader(made);
  const bool clamped = reader && is_clamp(draft, *reader);
  Reshaped result{clamped ? *reader : index, {}, draft.node(clamped ? *reader : index).outputs[0]};
  for (const std::size_t step : {index, result.last}) {
    DraftStep changed = draft.step(step);
    if (clamped && step == result.last) changed.nodes[0].inputs[0] = result.now;
    result.now = draft.new_name(changed.nodes[0].outputs[0] + suffix);
    draft.set_dtype(result.now, DType::kFloat);
    changed.nodes[0].outputs = {result.now};
    draft.replace(step, std::move(changed));
    if (!clamped) break;
  }
  return result;
}

void require_valid(const Draft& draft, const Node& node) {
  std::vector<Fact> inputs;
  for (const std::string& input : node.inputs) {
    const auto fact = draft.facts().find(input);
    inputs.push_back(fact == draft.facts().end() ? Fact() : fact->second);
  }
  const Operator* op = find_operator(node.domain, node.op_type);
  try {
    Inference inference(draft.opset(node), node.attributes, std::move(inputs), node.outputs.size());
    op->infer(inference);
  } catch (const Error& error) {
    throw NotFused{fmt::format("{} does not take it: {}", node.op_type, error.message())};
  }
}

std::string zero_point_constant(Draft& draft, const std::string& scale, DType dtype, std::size_t count) {
  const std::string name = fmt::format("{}_zero_point_{}", scale, octet::name(dtype));
  if (draft.constant(name)) return name;
  return draft.add_constant(name, Tensor(dtype, count == 1 ? Shape{} : Shape{static_cast<std::int64_t>(count)}));
}

void fuse(Draft& draft, Policy policy, const Result& result, Fused fused) {
  DraftStep step{.kind = fused.kind,
                 .name = draft.step(*result.anchor).name,
                 .nodes = {},
                 .sources = draft.sources(result.quantize),
                 .reason = {},
                 .warnings = std::move(fused.warnings)};
  step.sources.insert(draft.sources(*result.anchor).begin(), draft.sources(*result.anchor).end());
  for (const Operand& operand : fused.operands)
    step.sources.insert(draft.sources(operand.step).begin(), draft.sources(operand.step).end());
  std::string behind;
  std::optional<Node> clip;
  if (result.clamp) {
    step.sources.insert(draft.sources(*result.clamp).begin(), draft.sources(*result.clamp).end());
    const Node& clamp = draft.node(*result.clamp);
    if (saturation_does(draft, policy, clamp, result)) {
      behind = fmt::format(", {} done by saturation", clamp.op_type);
    } else {
      const auto [low, high] = bounds_of(draft, clamp);
      const auto [qmin, qmax] = integer_range(result.dtype);
      const auto [lowest, highest] = integer_bounds(draft, clamp, result);
      if (lowest == qmin && highest == qmax)
        throw NotFused{
            fmt::format("{} kept: saturation does what it does, which ONNX Runtime does not see", clamp.op_type)};
      const std::string why = lowest != qmin
                                  ? fmt::format("{} kept: its lower bound {} quantizes to {}, and {}'s minimum is {}",
                                                clamp.op_type, *low, lowest, name(result.dtype), qmin)
                                  : fmt::format("{} kept: its upper bound {} quantizes to {}, and {}'s maximum is {}",
                                                clamp.op_type, *high, highest, name(result.dtype), qmax);
      if (policy == Policy::kOnnxRuntime) throw NotFused{why};
      if (draft.opset_of_new_nodes() < 12) throw NotFused{why + "; Clip takes 8-bit integers from opset 12 on"};
      clip = Node{.name = clamp.name, .op_type = "Clip", .inputs = {}, .outputs = {result.integers}};
      clip->inputs = {draft.new_name(result.integers + "_unclamped"), ""};
      const auto bound = [&](std::int64_t value) {
        return draft.add_constant(result.integers + "_bound", convert(Tensor::scalar(value), result.dtype));
      };
      if (lowest != qmin) clip->inputs[1] = bound(lowest);
      if (highest != qmax) clip->inputs.push_back(bound(highest));
      behind = fmt::format(", {} as a clamp of the integers to [{}, {}]", clamp.op_type, lowest, highest);
    }
  }
  fused.node.name = step.name;
  fused.node.outputs = {clip ? clip->inputs[0] : result.integers};
  require_valid(draft, fused.node);
  step.reason =
      fmt::format("{} between DequantizeLinear and QuantizeLinear{}", draft.node(*result.anchor).op_type, behind);
  if (clip) draft.set_dtype(clip->inputs[0], result.dtype);
  step.nodes.push_back(std::move(fused.node));
  if (clip) step.nodes.push_back(std::move(*clip));
  draft.replace(result.quantize, std::move(step));
}

}  // namespace octet
