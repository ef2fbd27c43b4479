#include "octet/inspect/support/quantization.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "octet/graph/lookup.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// A tensor of a node and where its parameters are among the node's inputs; outputs are counted from kOutput.
constexpr int kNoInput = -1, kOutput = 100;

// The axis that parameters with more than one element belong to.
enum class Axis {
  kNone,       // the operator has one scale per tensor
  kAttribute,  // attribute axis, default 1; blocks by attribute block_size
  kFirst,      // output channels of convolution weights
  kRows,       // the last but one
  kColumns,    // the last
  kGemmB,      // columns, which transB makes rows
};

struct Parameters {
  std::string_view role;
  int tensor, scale, zero_point;
  Axis axis = Axis::kNone;
};

// That of ai.onnx where com.microsoft has one of the same name: QLinearConv has its roles there.
const Operator* known_operator(const Node& node) {
  return operator_of(node) ? find_operator_named(node.op_type) : nullptr;
}

int position(std::optional<std::size_t> input, std::optional<std::size_t> output = std::nullopt) {
  return input ? static_cast<int>(*input) : output ? kOutput + static_cast<int>(*output) : kNoInput;
}

// Matrix products may have parameters for each row of the left operand and each column of the right one.
bool has_lines(const Operator& op) { return is(&op, ops::kQLinearMatMul) || is(&op, ops::kMatMulInteger); }

Axis axis_of_w(const Operator& op) {
  if (op.kind == StepKind::kConvolution) return Axis::kFirst;
  if (op.kind != StepKind::kMatMul) return Axis::kNone;
  return is(&op, ops::kQGemm) ? Axis::kGemmB : Axis::kColumns;
}

// The n-th operand that has parameters of its own; nothing when there is none.
std::optional<Parameters> operand(const Operator& op, const Node& node, std::size_t n) {
  const auto at = [&](Role role) { return position(input_number(op, role, n)); };
  const Parameters x{"x", at(Role::kX), at(Role::kXScale), at(Role::kXZeroPoint)};
  const bool there = x.tensor != kNoInput && (op.repeated == 0 || x.zero_point < static_cast<int>(node.inputs.size()));
  return there && (x.scale != kNoInput || x.zero_point != kNoInput) ? std::optional(x) : std::nullopt;
}

std::vector<Parameters> parameters_of(const Node& node) {
  if (is(node, ops::kDynamicQuantizeLSTM))  // two matrices, for which there are no roles
    return {{"w", 1, 8, 9, Axis::kColumns}, {"r", 2, 10, 11, Axis::kColumns}};
  const Operator* op = known_operator(node);
  if (!op) return {};
  std::vector<Parameters> tensors;
  const bool border = op->kind == StepKind::kQuantize || op->kind == StepKind::kDequantize;
  const bool selects = input_number(*op, Role::kCondition).has_value();
  const bool pair =
      op->kind == StepKind::kMatMul || op->kind == StepKind::kAddition || op->kind == StepKind::kMultiplication;
  for (std::size_t n = 0; const std::optional<Parameters> x = operand(*op, node, n); ++n) {
    tensors.push_back(*x);
    tensors.back().axis = border ? Axis::kAttribute : has_lines(*op) ? Axis::kRows : Axis::kNone;
    if (pair) tensors.back().role = "a";
    if (op->repeated == 0) break;
  }
  const auto at = [&](Role role) { return position(input_number(*op, role), output_number(*op, role)); };
  if (const Parameters w{pair      ? "b"
                         : selects ? "y"
                                   : "w",
                         at(Role::kW), at(Role::kWScale), at(Role::kWZeroPoint), axis_of_w(*op)};
      w.scale != kNoInput || w.zero_point != kNoInput)
    tensors.push_back(w);
  if (const Parameters y{selects ? "z" : "y", kOutput, at(Role::kYScale), at(Role::kYZeroPoint)}; y.scale != kNoInput) {
    tensors.push_back(y);
    const bool dynamic = y.scale >= kOutput;
    tensors.back().axis = border && !dynamic ? Axis::kAttribute : has_lines(*op) ? Axis::kRows : Axis::kNone;
  }
  return tensors;
}

std::string_view name_at(const Node& node, int position) {
  if (position == kNoInput) return {};
  return position < kOutput ? input_of(node, static_cast<std::size_t>(position))
                            : output_of(node, static_cast<std::size_t>(position - kOutput));
}

ParameterReport parameter(std::string_view name, const ModelIndex& index) {
  ParameterReport report{std::string(name), index.origin(name), {}};
  if (report.origin == Origin::kInput) report.origin = Origin::kRuntime;
  if (const Fact* fact = index.fact(name); fact && report.origin != Origin::kRuntime) report.values = fact->constant;
  return report;
}

std::int64_t axis_of(const Node& node, Axis rule) {
  switch (rule) {
    case Axis::kAttribute: return node.attributes.get_int("axis", 1);
    case Axis::kFirst: return 0;
    case Axis::kRows: return -2;
    case Axis::kGemmB: return node.attributes.get_int("transB", 0) ? 0 : 1;
    case Axis::kNone:
    case Axis::kColumns: break;
  }
  return -1;
}

// The number of elements of a parameter: 1 when it is absent, nothing when its shape is not known.
std::optional<std::int64_t> count(const ParameterReport& parameter, const ModelIndex& index) {
  if (parameter.origin == Origin::kAbsent) return 1;
  if (!parameter.values.empty()) return parameter.values.size();
  const Fact* fact = index.fact(parameter.name);
  if (!fact || !fact->shape) return std::nullopt;
  const std::optional<Shape> shape = concrete(*fact->shape);
  return shape ? std::optional(element_count(*shape)) : std::nullopt;
}

void find_granularity(QuantizationReport& report, const Node& node, Axis rule, const ModelIndex& index) {
  const std::optional<std::int64_t> scales = count(report.scale, index), zeros = count(report.zero_point, index);
  if (rule == Axis::kNone || (scales == 1 && zeros == 1)) {
    report.granularity = Granularity::kTensor;
    return;
  }
  report.axis = axis_of(node, rule);
  const Fact* tensor = index.fact(report.tensor);
  if (report.axis < 0 && tensor && tensor->shape) report.axis += static_cast<std::int64_t>(tensor->shape->size());
  if (rule == Axis::kAttribute) report.block = node.attributes.get_int("block_size", 0);
  if (report.block > 0)
    report.granularity = Granularity::kBlocked;
  else if (scales && zeros)
    report.granularity = Granularity::kAxis;
}

DType type_of(const QuantizationReport& report, const ModelIndex& index) {
  for (const std::string& name : {report.tensor, report.zero_point.name})
    if (const Fact* fact = index.fact(name); fact && (is_integer(fact->dtype) || is_minifloat(fact->dtype)))
      return fact->dtype;
  return DType::kUndefined;
}

// The names that operators of the standard give their inputs, for those that a QDQ graph wraps most.
std::string role_of_input(const Node& node, std::size_t i) {
  static constexpr std::array<std::string_view, 3> kConvolution = {"x", "w", "b"}, kProduct = {"a", "b", "c"};
  const bool convolution = is(node, ops::kConv) || is(node, ops::kConvTranspose);
  const bool product = is(node, ops::kMatMul) || is(node, ops::kGemm) || is(node, ops::kAdd) || is(node, ops::kSub) ||
                       is(node, ops::kMul) || is(node, ops::kDiv);
  if (convolution && i < kConvolution.size()) return std::string(kConvolution[i]);
  if (product && i < kProduct.size()) return std::string(kProduct[i]);
  return node.inputs.size() == 1 ? "x" : fmt::format("x{}", i);
}

}  // namespace

std::vector<QuantizationReport> quantization_of(const Node& node, const ModelIndex& index) {
  std::vector<QuantizationReport> reports;
  for (const Parameters& p : parameters_of(node)) {
    QuantizationReport report;
    report.role = p.role;
    report.tensor = name_at(node, p.tensor);
    report.scale = parameter(name_at(node, p.scale), index);
    report.zero_point = parameter(name_at(node, p.zero_point), index);
    if (report.scale.origin == Origin::kAbsent && p.scale != kNoInput) continue;  // QGemm with a float output
    report.dtype = type_of(report, index);
    find_granularity(report, node, p.axis, index);
    reports.push_back(std::move(report));
  }
  return reports;
}

const Node* dequantizer_of_input(const Node& node, std::size_t i, const ModelIndex& index) {
  const Node* producer = index.producer(input_of(node, i));
  return producer && is(*producer, ops::kDequantizeLinear) ? producer : nullptr;
}

const Node* quantizer_of_output(const Node& node, const ModelIndex& index) {
  const std::string_view output = output_of(node, 0);
  const std::span<const Node* const> consumers = index.consumers(output);
  if (consumers.empty() || index.is_graph_output(output)) return nullptr;
  const Node& first = *consumers.front();
  if (std::all_of(consumers.begin(), consumers.end(), [](const Node* c) { return is(*c, ops::kQuantizeLinear); }))
    return &first;
  const bool fused = consumers.size() == 1 && is_activation(first) && !is_activation(node);
  return fused ? quantizer_of_output(first, index) : nullptr;
}

std::vector<QuantizationReport> quantization_around(const Node& node, const ModelIndex& index) {
  std::vector<QuantizationReport> reports;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const Node* dequantize = dequantizer_of_input(node, i, index))
      for (QuantizationReport& report : quantization_of(*dequantize, index)) {
        report.role = role_of_input(node, i);
        reports.push_back(std::move(report));
      }
  if (const Node* quantize = quantizer_of_output(node, index))
    for (QuantizationReport& report : quantization_of(*quantize, index)) reports.push_back(std::move(report));
  return reports;
}

std::vector<std::string_view> parameter_inputs(const Node& node) {
  std::vector<std::string_view> names;
  for (const Parameters& p : parameters_of(node))
    for (const int position : {p.scale, p.zero_point})
      if (position < kOutput && !name_at(node, position).empty()) names.push_back(name_at(node, position));
  return names;
}

bool is_conversion(const Node& node) {
  const Operator* op = known_operator(node);
  return op && (op->kind == StepKind::kQuantize || op->kind == StepKind::kDequantize);
}

bool is_quantized_operator(const Node& node) { return !is_conversion(node) && !parameters_of(node).empty(); }

bool is_activation(const Node& node) { return has(node, Trait::kClamp); }

}  // namespace octet
