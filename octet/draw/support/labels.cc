#include "octet/draw/support/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "octet/inspect/node_table.h"

namespace octet {
namespace {

// An operator as the standard names its float form: QLinearConv and ConvInteger are Conv.
std::string_view float_form(std::string_view op_type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOthers = {
      {{"QGemm", "Gemm"},
       {"ConvInteger", "Conv"},
       {"MatMulInteger", "MatMul"},
       {"MatMulIntegerToFloat", "MatMul"},
       {"DynamicQuantizeMatMul", "MatMul"}}};
  for (const auto& [quantized, plain] : kOthers)
    if (op_type == quantized) return plain;
  constexpr std::string_view kPrefix = "QLinear";
  return op_type.starts_with(kPrefix) ? op_type.substr(kPrefix.size()) : op_type;
}

template <std::size_t kCount>
bool is_one_of(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 7> kArithmetic = {"Add", "Sub", "Mul", "Div", "Sum", "Min", "Max"};
constexpr std::array<std::string_view, 20> kMoves = {
    "Flatten",      "Reshape",      "Transpose", "Concat",   "Slice",     "Gather", "Squeeze",
    "Unsqueeze",    "Pad",          "Split",     "Identity", "Expand",    "Resize", "Tile",
    "DepthToSpace", "SpaceToDepth", "Upsample",  "GatherND", "ScatterND", "Dropout"};
constexpr std::array<std::string_view, 29> kFunctions = {"Relu",
                                                         "Clip",
                                                         "Sigmoid",
                                                         "Tanh",
                                                         "LeakyRelu",
                                                         "PRelu",
                                                         "Elu",
                                                         "Selu",
                                                         "HardSigmoid",
                                                         "HardSwish",
                                                         "Softmax",
                                                         "Gelu",
                                                         "Erf",
                                                         "Exp",
                                                         "Log",
                                                         "Sqrt",
                                                         "Pow",
                                                         "Neg",
                                                         "Abs",
                                                         "Reciprocal",
                                                         "Softplus",
                                                         "Mish",
                                                         "LogSoftmax",
                                                         "BatchNormalization",
                                                         "LayerNormalization",
                                                         "InstanceNormalization",
                                                         "Softsign",
                                                         "Round",
                                                         "Cast"};

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
  if (op_type == "QuantizeLinear" || op_type == "DequantizeLinear" || op_type == "DynamicQuantizeLinear")
    return NodeKind::kConversion;
  const std::string_view op = float_form(op_type);
  if (op == "Conv" || op == "ConvTranspose") return NodeKind::kConvolution;
  if (op == "MatMul" || op == "Gemm") return NodeKind::kProduct;
  if (is_one_of(op, kArithmetic)) return NodeKind::kArithmetic;
  if (op.ends_with("Pool") || op.starts_with("Reduce")) return NodeKind::kPool;
  if (is_one_of(op, kMoves)) return NodeKind::kMove;
  return is_one_of(op, kFunctions) ? NodeKind::kFunction : NodeKind::kOther;
}

bool is_addition(std::string_view op_type) {
  const std::string_view op = float_form(op_type);
  return op == "Add" || op == "Sum";
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
  return operator_title(float_form(op_type), attributes).append(kDynamic);
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
