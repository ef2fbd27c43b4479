#include "octet/inspect/report_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/base/table.h"
#include "octet/base/utf8.h"
#include "octet/inspect/support/numbers.h"

namespace octet {
namespace {

std::string domain_name(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

std::string type_text(const ValueReport& value) {
  if (value.dtype == DType::kUndefined) return "?";
  return fmt::format("{} {}", name(value.dtype), value.shape ? to_string(*value.shape) : "of unknown rank");
}

// The value itself where all are the same, else the smallest and the largest, floats to four digits.
std::string range_text(const Tensor& values) {
  std::int64_t low = 0, high = 0;
  for (std::int64_t i = 1; i < values.size(); ++i) {
    if (values.number_at(i) < values.number_at(low)) low = i;
    if (values.number_at(i) > values.number_at(high)) high = i;
  }
  const std::string first = element_text(values, low), last = element_text(values, high);
  if (first == last) return first;
  if (is_integer(values.dtype())) return first + ".." + last;
  return fmt::format("{:.4g}..{:.4g}", values.number_at(low), values.number_at(high));
}

bool has_numbers(const Tensor& values) { return !values.empty() && values.size() > 0 && !is_minifloat(values.dtype()); }

// "scale 0.0123", "64 scales 0.001..0.02", "scale at run time".
std::string parameter_text(const std::string& what, const ParameterReport& parameter) {
  const Tensor& values = parameter.values;
  if (values.empty()) return what + " at run time";
  if (!has_numbers(values)) return fmt::format("{} of {}", what, name(values.dtype()));
  const std::string range = range_text(values);
  const bool equal = range.find("..") == std::string::npos;
  return equal ? fmt::format("{} {}", what, range) : fmt::format("{} {}s {}", values.size(), what, range);
}

std::string quantization_text(const QuantizationReport& q) {
  std::string text = q.role + ":";
  if (q.scale.origin != Origin::kAbsent) text += fmt::format(" {}", parameter_text("scale", q.scale));
  if (q.granularity == Granularity::kAxis) text += fmt::format(" on axis {}", q.axis);
  if (q.granularity == Granularity::kBlocked) text += fmt::format(" in blocks of {} on axis {}", q.block, q.axis);
  if (q.zero_point.origin == Origin::kAbsent) return text;
  return text + (text.back() == ':' ? " " : ", ") + parameter_text("zero", q.zero_point);
}

std::string all_values(const std::string& what, const ParameterReport& parameter) {
  if (!has_numbers(parameter.values) || parameter.values.size() < 2) return {};
  std::string text = what + "s";
  for (std::int64_t i = 0; i < parameter.values.size(); ++i)
    text += fmt::format(" {}", element_text(parameter.values, i));
  return text;
}

// "int8 [32,3,3,3], int32 [32]": the first few.
std::string weights_text(const NodeReport& node) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, node.weights.size()); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", name(node.weights[i].dtype), to_string(node.weights[i].shape));
  return node.weights.size() <= kShown ? text : fmt::format("{} and {} more", text, node.weights.size() - kShown);
}

std::string label_of(const NodeReport& node) {
  return node.name.empty() && !node.outputs.empty() ? node.outputs.front().name : node.name;
}

std::string output_text(const NodeReport& node) {
  if (node.outputs.empty()) return {};
  const std::string first = type_text(node.outputs.front());
  return node.outputs.size() == 1 ? first : fmt::format("{} + {} more", first, node.outputs.size() - 1);
}

// What stands in the last column: the weights, a line for each tensor that is quantized, then notes.
std::vector<std::string> remarks(const NodeReport& node, const TextOptions& options) {
  std::vector<std::string> lines;
  if (!node.weights.empty()) lines.push_back(weights_text(node));
  for (const QuantizationReport& q : options.layers && !node.around.empty() ? node.around : node.quantization) {
    lines.push_back(quantization_text(q));
    if (!options.values) continue;
    for (const std::string& values : {all_values("scale", q.scale), all_values("zero", q.zero_point)})
      if (!values.empty()) lines.push_back(values);
  }
  for (const auto& [attribute, nodes] : node.subgraphs)
    lines.push_back(fmt::format("{}: {}", attribute, counted(static_cast<std::int64_t>(nodes), "node")));
  if (!node.runs) lines.push_back("! not run");
  for (const std::string& note : node.notes) lines.push_back(fmt::format("! {}", note));
  return lines;
}

bool is_layer(const NodeReport& node) {
  return node.form != Form::kConversion && !(node.domain.empty() && node.op_type == "Constant");
}

std::string nodes_text(const ModelReport& report, const TextOptions& options) {
  Table table({{"#", Table::Fit::kWhole, true},
               {"node", Table::Fit::kShorten, false, 16},
               {"operator"},
               {"output", Table::Fit::kShorten, false, 24},
               {"MACs", Table::Fit::kWhole, true},
               {"weights, quantization", Table::Fit::kWrap, false, 32}});
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport& node = report.nodes[i];
    if (options.layers && !is_layer(node)) continue;
    std::vector<std::string> lines = remarks(node, options);
    const std::string macs = node.macs ? grouped(*node.macs) : node.counts_macs ? "?" : "";
    table.add({fmt::format("{}", i), label_of(node), node.op_type, output_text(node), macs,
               lines.empty() ? "" : lines.front()});
    for (std::size_t line = 1; line < lines.size(); ++line) table.add({"", "", "", "", "", lines[line]});
  }
  return table.text(options.width);
}

// Exporters import domains by the dozen: those that no node uses are not worth a reader's time.
std::string header_text(const ModelReport& report) {
  std::string opsets;
  for (const auto& import : report.opsets) {
    const auto uses = [&](const OperatorCount& op) { return op.domain == import.first; };
    if (std::any_of(report.summary.operators.begin(), report.summary.operators.end(), uses))
      opsets += fmt::format(", {} {}", domain_name(import.first), import.second);
  }
  std::string text = report.path;
  if (!report.path.empty())
    text += fmt::format(": {}, ", counted(static_cast<std::int64_t>(report.file_bytes), "byte"));
  text += fmt::format("IR version {}{}", report.ir_version, opsets);
  if (!report.producer_name.empty()) text += ", written by " + report.producer_name;
  if (!report.producer_version.empty()) text += " " + report.producer_version;
  return printable(text) + "\n";
}

std::string values_text(const ModelReport& report, std::size_t width) {
  Table table({{""}, {"", Table::Fit::kShorten}, {"", Table::Fit::kShorten}});
  for (const ValueReport& input : report.inputs) table.add({"input", input.name, type_text(input)});
  for (const ValueReport& output : report.outputs) table.add({"output", output.name, type_text(output)});
  return table.text(width);
}

std::string count_text(const CountReport& count, const std::string& type) {
  return fmt::format("{} {}", grouped(count.elements), type);
}

std::string operators_text(const Summary& s, bool run) {
  std::string text;
  for (const OperatorCount& op : s.operators) {
    if (!run && op.runs) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", op.nodes, op.op_type);
    if (!op.domain.empty()) text += fmt::format(" ({})", op.domain);
  }
  return text;
}

std::string quantized_text(const Summary& s) {
  const std::int64_t quantized = s.integer_nodes + s.qdq_nodes;
  std::string text =
      fmt::format("{} of {} computing nodes ({})", quantized, quantized + s.float_nodes, percent(s.quantized_share()));
  if (quantized > 0)
    text +=
        fmt::format(": {} on integers, {} between DequantizeLinear and QuantizeLinear", s.integer_nodes, s.qdq_nodes);
  return text;
}

std::string conversions_text(const Summary& s) {
  std::string text = fmt::format("{} QuantizeLinear, {} DequantizeLinear", s.quantize_linear, s.dequantize_linear);
  if (s.dynamic_quantize_linear > 0) text += fmt::format(", {} DynamicQuantizeLinear", s.dynamic_quantize_linear);
  return text;
}

std::string weights_summary(const Summary& s) {
  std::string text = fmt::format("{} in {}, {}", counted(s.weights.elements, "number"),
                                 counted(s.weights.tensors, "tensor"), counted(s.weights.bytes, "byte"));
  std::string types;
  for (const auto& [type, count] : s.weights_by_type) types += (types.empty() ? ": " : ", ") + count_text(count, type);
  return text + types;
}

std::string macs_summary(const Summary& s) {
  std::string text = grouped(s.macs);
  if (s.macs > 0) text += fmt::format(", {} of them on operands of at most 8 bits", percent(s.macs_8bit_share()));
  if (!s.symbols_as_one.empty()) {
    text += "; counted with";
    for (const std::string& symbol : s.symbols_as_one)
      text += fmt::format("{}{} = 1", symbol == s.symbols_as_one.front() ? " " : ", ", symbol);
  }
  if (s.uncounted_macs_nodes > 0)
    text += fmt::format("; without {} of unknown shape", counted(s.uncounted_macs_nodes, "node"));
  return text;
}

std::string summary_text(const ModelReport& report, std::size_t width) {
  const Summary& s = report.summary;
  Table table({{""}, {"", Table::Fit::kWrap}});
  table.add({"nodes", fmt::format("{}: {}", s.nodes, operators_text(s, true))});
  table.add({"quantized", quantized_text(s)});
  table.add({"conversions", conversions_text(s)});
  table.add({"weights", weights_summary(s)});
  table.add({"MACs", macs_summary(s)});
  const std::string missing = operators_text(s, false);
  table.add({"runs", missing.empty() ? "every operator" : "not without " + missing});
  for (const std::string& note : report.notes) table.add({"!", note});
  return table.text(width);
}

}  // namespace

std::string report_text(const ModelReport& report, const TextOptions& options) {
  return header_text(report) + values_text(report, options.width) + "\n" + nodes_text(report, options) + "\n" +
         summary_text(report, options.width);
}

}  // namespace octet
