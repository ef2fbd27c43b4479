// fuse_sums.cc: Conv, MatMul and Gemm behind DequantizeLinear whose float result is wanted, or can't be requantized at once:
// the sum in integers, then y = f32(acc) * S, then + a float bias, each operation rounded.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "octet/graph/lookup.h"
#include "octet/program/support/sum_limits.h"
#include "octet/program/support/weighted.h"

namespace octet {
namespace {

struct FloatSum {
  StepKind kind;
  std::vector<Node> nodes;  // the last one's output is filled in
  std::vector<Operand> operands;
  std::vector<std::string> warnings = {};
};

}  // namespace

Tensor float_bias(Draft& draft, const Node& node, std::int64_t channels, std::vector<Operand>& operands) {
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return {};
  Tensor bias;
  if (const Tensor* real = draft.constant(node.inputs[2])) {
    bias = *real;
  } else {
    const Operand operand = operand_at(draft, node, 2);
    const Tensor* integers = draft.constant(operand.integers);
    if (!integers) throw NotFused{fmt::format("the bias {} is computed", operand.integers)};
    if (operand.scales.size() != 1 && static_cast<std::int64_t>(operand.scales.size()) != integers->size())
      throw NotFused{fmt::format("the bias {} has {} scales", operand.integers, operand.scales.size())};
    bias = Tensor(DType::kFloat, integers->shape());
    for (std::size_t m = 0; m < static_cast<std::size_t>(bias.size()); ++m) {
      const std::size_t k = operand.scales.size() == 1 ? 0 : m;
      bias.mutable_as<float>()[m] =
          static_cast<float>(integers->int_at(static_cast<std::int64_t>(m)) - operand.zero_points[k]) *
          operand.scales[k];
    }
    operands.push_back(operand);
  }
  if (bias.dtype() != DType::kFloat || bias.size() != channels || (bias.rank() > 0 && bias.shape().back() != channels))
    throw NotFused{fmt::format("the bias {} is not one float32 for each channel", node.inputs[2])};
  for (const float value : bias.as<float>())
    if (!std::isfinite(value)) throw NotFused{fmt::format("the bias {} has a number {}", node.inputs[2], value)};
  return bias.reshaped({channels});
}

std::string channel_constant(Draft& draft, const std::string& wish, const std::vector<float>& values,
                             std::size_t rank) {
  Shape shape(values.size() == 1 || rank == 0 ? 0 : rank - 1, 1);
  if (values.size() > 1 && rank == 0) shape = {1};
  if (!shape.empty()) shape[0] = static_cast<std::int64_t>(values.size());
  return draft.add_constant(wish, Tensor::from<float>(shape, values));
}

std::vector<Result> results_of(Draft& draft, const std::string& value) {
  std::vector<Result> results;
  for (const std::size_t reader : draft.readers(value)) {
    const Node& node = draft.node(reader);
    std::set<std::size_t> steps = {reader};
    if (has(node, Trait::kClamp)) steps = draft.readers(node.outputs[0]);
    for (const std::size_t step : steps)
      if (const std::optional<Result> result = result_at(draft, step)) results.push_back(*result);
  }
  return results;
}

namespace {

const SymbolicShape& weights_shape(const Draft& draft, const Operand& w) {
  const auto fact = draft.facts().find(w.integers);
  if (fact == draft.facts().end() || !fact->second.shape)
    throw NotFused{fmt::format("the shape of {} is not known", w.integers)};
  return *fact->second.shape;
}

FloatSum convolution_to_float(Draft& draft, const Node& node) {
  const Operand x = whole_operand_at(draft, node, 0), w = operand_at(draft, node, 1);
  require_8bit(w, "weights");
  require_channel_axis(draft, w, 0);
  require_sums_in_float(Policy::kExact, x, w, 1, nullptr);
  if (draft.opset_of_new_nodes() < 10) throw NotFused{"ConvInteger is of opset 10 and later"};
  if (std::any_of(w.zero_points.begin(), w.zero_points.end(), [&](std::int32_t z) { return z != w.zero_points[0]; }))
    throw NotFused{fmt::format("{} has zero points that differ, and ConvInteger takes one", w.integers)};
  const SymbolicShape& shape = weights_shape(draft, w);
  const std::size_t rank = shape.size();
  FloatSum sum{StepKind::kConvolution, {}, {x, w}};
  Tensor bias;
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    if (rank == 0 || !shape[0].known()) throw NotFused{fmt::format("{} has an unknown number of channels", w.integers)};
    bias = float_bias(draft, node, shape[0].value(), sum.operands);
  }
  const std::string& result = node.outputs[0];
  std::vector<float> multipliers;
  for (const float scale : w.scales) multipliers.push_back(x.scales[0] * scale);
  const std::string zero_point =
      w.zero_points.size() == 1 ? w.zero_point_name
                                : draft.add_constant(result + "_w_zero_point",
                                                     convert(Tensor::scalar(std::int64_t{w.zero_points[0]}), w.dtype));
  const auto add = [&](const char* op_type, std::vector<std::string> inputs, DType dtype, const char* suffix) {
    const std::string output = draft.new_name(result + suffix);
    draft.set_dtype(output, dtype);
    sum.nodes.push_back({.name = output, .op_type = op_type, .inputs = std::move(inputs), .outputs = {output}});
    return output;
  };
  const std::string accumulators =
      add("ConvInteger", {x.integers, w.integers, x.zero_point_name, zero_point}, DType::kInt32, "_accumulators");
  sum.nodes.back().attributes = node.attributes;
  const std::string reals = add("Cast", {accumulators}, DType::kFloat, "_float");
  sum.nodes.back().attributes.set("to", static_cast<std::int64_t>(DType::kFloat));
  const std::string scaled =
      add("Mul", {reals, channel_constant(draft, result + "_scales", multipliers, rank)}, DType::kFloat, "_scaled");
  if (!bias.empty()) {
    const std::vector<float> values(bias.as<float>().begin(), bias.as<float>().end());
    add("Add", {scaled, channel_constant(draft, result + "_bias", values, rank)}, DType::kFloat, "_sum");
  }
  return sum;
}

FloatSum one_node(Fused fused) {
  return {fused.kind, {std::move(fused.node)}, std::move(fused.operands), std::move(fused.warnings)};
}

FloatSum matmul_to_float(Draft& draft, Policy policy, const Node& node) {
  const Operand a = whole_operand_at(draft, node, 0), b = columns_operand(draft, node, 1);
  require_kernel(a, b);
  require_sums_in_float(policy, a, b, 1, nullptr);
  Fused fused{StepKind::kMatMul, {}, {a, b}};
  fused.node.op_type = "MatMulIntegerToFloat";
  fused.node.domain = "com.microsoft";
  fused.node.inputs = {a.integers, b.integers, a.scale_name, b.scale_name, a.zero_point_name, b.zero_point_name};
  return one_node(std::move(fused));
}

// A Gemm whose bias is not in units of the accumulator: a matrix product of what it may have to turn, and the bias behind.
FloatSum gemm_to_float(Draft& draft, const Node& node) {
  const bool turned = node.attributes.get_int("transB", 0) != 0;
  if (node.attributes.get_int("transA", 0) != 0 || node.attributes.get_float("alpha", 1) != 1 ||
      node.attributes.get_float("beta", 1) != 1)
    throw NotFused{"a float bias behind a Gemm with transA, alpha or beta"};
  const Operand a = whole_operand_at(draft, node, 0);
  const Operand b = columns_operand(draft, node, turned ? 0 : 1);
  require_kernel(a, b);
  require_sums_in_float(Policy::kExact, a, b, 1, nullptr);
  const Tensor* weights = draft.constant(b.integers);
  if (!weights || weights->rank() != 2)
    throw NotFused{fmt::format("{} is computed, and the bias is float", b.integers)};
  FloatSum sum{StepKind::kMatMul, {}, {a, b}};
  const Tensor bias = float_bias(draft, node, weights->shape()[turned ? 0 : 1], sum.operands);
  const std::string columns =
      turned ? draft.add_constant(b.integers + "_transposed", weights->transposed()) : b.integers;
  Node product{.name = {}, .op_type = "MatMulIntegerToFloat", .domain = "com.microsoft"};
  product.inputs = {a.integers, columns, a.scale_name, b.scale_name, a.zero_point_name, b.zero_point_name};
  product.inputs.push_back(draft.add_constant(node.outputs[0] + "_bias", bias));
  product.outputs = node.outputs;
  sum.nodes.push_back(std::move(product));
  return sum;
}

FloatSum sum_to_float(Draft& draft, Policy policy, const Node& node) {
  if (is(node, ops::kMatMul)) return matmul_to_float(draft, policy, node);
  if (is(node, ops::kConv)) {
    if (policy != Policy::kExact) throw NotFused{"no QuantizeLinear follows: its result is wanted in float"};
    return convolution_to_float(draft, node);
  }
  try {
    return one_node(begin_gemm(draft, policy, node, nullptr));
  } catch (const NotFused&) {
    if (policy != Policy::kExact || node.inputs.size() < 3 || node.inputs[2].empty()) throw;
  }
  return gemm_to_float(draft, node);
}

}  // namespace

void fuse_to_float(Draft& draft, Policy policy, std::size_t index) {
  const Node node = draft.node(index);
  if (policy == Policy::kExact && has_wide_operand(draft, node)) return fuse_wide_sum(draft, index);
  FloatSum sum = sum_to_float(draft, policy, node);
  if (policy == Policy::kExact) {
    const Operand &x = sum.operands[0], &w = sum.operands[1];
    require_exact_sums(draft, node, x, w, "", nullptr);
    for (const Result& result : results_of(draft, node.outputs[0])) require_exact_sums(draft, node, x, w, "", &result);
  }
  const std::string why = draft.step(index).reason;  // it is not requantized
  DraftStep step{.kind = sum.kind,
                 .name = draft.step(index).name,
                 .nodes = std::move(sum.nodes),
                 .sources = draft.sources(index),
                 .reason = node.op_type + " behind DequantizeLinear, its sum scaled to float" +
                           (why.empty() ? "" : ", not to integers: " + why),
                 .warnings = std::move(sum.warnings)};
  for (const Operand& operand : sum.operands)
    step.sources.insert(draft.sources(operand.step).begin(), draft.sources(operand.step).end());
  step.nodes.front().name = step.name;
  step.nodes.back().outputs = node.outputs;
  require_valid(draft, step.nodes.front());
  draft.replace(index, std::move(step));
}

}  // namespace octet
