#include "octet/draw/support/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "octet/inspect/node_table.h"
#include "octet/spec/operators.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// The operator, or the one that it approximates on integers: Conv for QLinearConv and ConvInteger. Null when unknown.
const Operator* plain_form(std::string_view op_type) {
  const Operator* op = find_operator_named(op_type);
  return op && op->float_form ? op->float_form : op;
}

// "3×3" for a window, "2" for what is the same along every axis; nothing when that is 1.
std::string sizes_text(const std::vector<std::int64_t>& sizes, bool window) {
  if (sizes.empty()) return {};
  const bool equal = std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == sizes[0]; });
  if (!window && equal) return sizes[0] == 1 ? "" : fmt::format("{}", sizes[0]);
  std::string text;
  for (const std::int64_t size : sizes) text += fmt::format("{}{}", text.empty() ? "" : "×", size);
  return text;
}

// Of the kind it should have; a file may say anything.
std::vector<std::int64_t> ints_of(const Attributes& attributes, std::string_view name) {
  const AttributeValue* value = attributes.find(name);
  const auto* ints = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
  return ints ? *ints : std::vector<std::int64_t>();
}

std::string parameter_text(std::string_view symbol, const ParameterReport& parameter) {
  const Tensor& values = parameter.values;
  if (values.empty())
    return fmt::format("{} {}", symbol, parameter.origin == Origin::kRuntime ? "at run time" : "stored");
  if (values.size() == 0 || (!is_float(values.dtype()) && !is_integer(values.dtype())))
    return fmt::format("{} of {}", symbol, name(values.dtype()));
  return fmt::format("{} {}", symbol, range_text(values));
}

}  // namespace

NodeKind kind_of_operator(std::string_view op_type) {
  const Operator* op = plain_form(op_type);
  if (!op) return NodeKind::kOther;
  if (op->kind == StepKind::kQuantize || op->kind == StepKind::kDequantize) return NodeKind::kConversion;
  if (is(op, ops::kConv) || is(op, ops::kConvTranspose)) return NodeKind::kConvolution;
  if (is(op, ops::kMatMul) || is(op, ops::kGemm)) return NodeKind::kProduct;
  if (has(op, Trait::kArithmetic)) return NodeKind::kArithmetic;
  if (has(op, Trait::kPool)) return NodeKind::kPool;
  if (input_number(*op, Role::kMoved) || is(op, ops::kUpsample) || is(op, ops::kScatterND)) return NodeKind::kMove;
  return has(op, Trait::kFunction) ? NodeKind::kFunction : NodeKind::kOther;
}

bool is_addition(std::string_view op_type) {
  const Operator* op = plain_form(op_type);
  return is(op, ops::kAdd) || is(op, ops::kSum);
}

std::string operator_title(std::string_view op_type, const Attributes& attributes) {
  std::string title(op_type);
  if (const std::string window = sizes_text(ints_of(attributes, "kernel_shape"), true); !window.empty())
    title += " " + window;
  for (const auto& [attribute, word] : {std::pair("strides", "stride"), std::pair("dilations", "dilation")})
    if (const std::string sizes = sizes_text(ints_of(attributes, attribute), false); !sizes.empty())
      title += fmt::format(", {} {}", word, sizes);
  const AttributeValue* group = attributes.find("group");
  const auto* groups = group ? std::get_if<std::int64_t>(group) : nullptr;
  if (groups && *groups != 1) title += fmt::format(", group {}", *groups);
  return title;
}

std::string dynamic_title(std::string_view op_type, const Attributes& attributes) {
  const Operator* op = plain_form(op_type);
  return operator_title(op ? op->name : op_type, attributes).append(kDynamic);
}

std::string badge_of(const QuantizationReport& quantization) {
  const std::int64_t channels = std::max(quantization.scale.values.size(), quantization.zero_point.values.size());
  if (quantization.granularity == Granularity::kAxis)
    return channels > 0 ? fmt::format("{} scales", channels) : "per channel";
  if (quantization.granularity == Granularity::kBlocked) return fmt::format("blocks of {}", quantization.block);
  return {};
}

PictureLine quantization_line(const QuantizationReport& quantization) {
  std::string text = parameter_text("s", quantization.scale);
  if (quantization.zero_point.origin != Origin::kAbsent) text += ", " + parameter_text("z", quantization.zero_point);
  return {text, badge_of(quantization)};
}

PictureNode border_node(const ValueReport& value) {
  return {.kind = NodeKind::kBorder, .name = value.name, .title = value.name, .lines = {{type_text(value), ""}}};
}

std::string picture_title(const std::string& path, std::string_view what) {
  const std::string file = std::filesystem::path(path).filename().string();
  return file.empty() ? std::string(what) : fmt::format("{}: {}", file, what);
}

}  // namespace octet
