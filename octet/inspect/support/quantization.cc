#include "octet/inspect/support/quantization.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

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

struct QuantizedOperator {
  std::string_view op_type;
  std::vector<Parameters> tensors;
};

// Operators of the standard and of com.microsoft; where both have one of a name, they agree.
const std::vector<QuantizedOperator>& table() {
  static const std::vector<Parameters> unary = {{"x", 0, 1, 2}, {"y", kOutput, 3, 4}};
  static const std::vector<Parameters> binary = {{"a", 0, 1, 2}, {"b", 3, 4, 5}, {"y", kOutput, 6, 7}};
  static const std::vector<QuantizedOperator> list = {
      {"QuantizeLinear", {{"y", kOutput, 1, 2, Axis::kAttribute}}},
      {"DequantizeLinear", {{"x", 0, 1, 2, Axis::kAttribute}}},
      {"DynamicQuantizeLinear", {{"y", kOutput, kOutput + 1, kOutput + 2}}},
      {"QLinearConv", {{"x", 0, 1, 2}, {"w", 3, 4, 5, Axis::kFirst}, {"y", kOutput, 6, 7}}},
      {"QLinearMatMul",
       {{"a", 0, 1, 2, Axis::kRows}, {"b", 3, 4, 5, Axis::kColumns}, {"y", kOutput, 6, 7, Axis::kRows}}},
      {"ConvInteger", {{"x", 0, kNoInput, 2}, {"w", 1, kNoInput, 3, Axis::kFirst}}},
      {"MatMulInteger", {{"a", 0, kNoInput, 2, Axis::kRows}, {"b", 1, kNoInput, 3, Axis::kColumns}}},
      {"QGemm", {{"a", 0, 1, 2}, {"b", 3, 4, 5, Axis::kGemmB}, {"y", kOutput, 7, 8}}},
      {"QLinearAdd", binary},
      {"QLinearMul", binary},
      {"QLinearGlobalAveragePool", unary},
      {"QLinearAveragePool", unary},
      {"QLinearLeakyRelu", unary},
      {"QLinearSigmoid", unary},
      {"QLinearSoftmax", unary},
      {"QLinearWhere", {{"x", 1, 2, 3}, {"y", 4, 5, 6}, {"z", kOutput, 7, 8}}},
      {"MatMulIntegerToFloat", {{"a", 0, 2, 4}, {"b", 1, 3, 5, Axis::kColumns}}},
      {"DynamicQuantizeMatMul", {{"b", 1, 2, 3, Axis::kColumns}}},
      {"DynamicQuantizeLSTM", {{"w", 1, 8, 9, Axis::kColumns}, {"r", 2, 10, 11, Axis::kColumns}}},
  };
  return list;
}

// QLinearConcat has the output's parameters first, then a tensor with its own for each input.
std::vector<Parameters> concat_parameters(const Node& node) {
  std::vector<Parameters> tensors;
  for (int i = 2; i + 2 < static_cast<int>(node.inputs.size()); i += 3) tensors.push_back({"x", i, i + 1, i + 2});
  tensors.push_back({"y", kOutput, 0, 1});
  return tensors;
}

std::vector<Parameters> parameters_of(const Node& node) {
  if (is_operator(node, "QLinearConcat")) return concat_parameters(node);
  for (const QuantizedOperator& op : table())
    if (is_operator(node, op.op_type)) return op.tensors;
  return {};
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
  const bool convolution = is_operator(node, "Conv") || is_operator(node, "ConvTranspose");
  const bool product = is_operator(node, "MatMul") || is_operator(node, "Gemm") || is_operator(node, "Add") ||
                       is_operator(node, "Sub") || is_operator(node, "Mul") || is_operator(node, "Div");
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
  return producer && is_operator(*producer, "DequantizeLinear") ? producer : nullptr;
}

const Node* quantizer_of_output(const Node& node, const ModelIndex& index) {
  const std::string_view output = output_of(node, 0);
  const std::span<const Node* const> consumers = index.consumers(output);
  if (consumers.empty() || index.is_graph_output(output)) return nullptr;
  const Node& first = *consumers.front();
  if (std::all_of(consumers.begin(), consumers.end(), [](const Node* c) { return is_operator(*c, "QuantizeLinear"); }))
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
  return is_operator(node, "QuantizeLinear") || is_operator(node, "DequantizeLinear") ||
         is_operator(node, "DynamicQuantizeLinear");
}

bool is_quantized_operator(const Node& node) { return !is_conversion(node) && !parameters_of(node).empty(); }

bool is_activation(const Node& node) { return is_operator(node, "Relu") || is_operator(node, "Clip"); }

}  // namespace octet
