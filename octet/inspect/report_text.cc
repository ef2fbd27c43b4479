#include "octet/inspect/report_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/inspect/node_table.h"
#include "octet/inspect/support/report_names.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

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
  std::string text = s.share ? to_string(*s.share)
                             : fmt::format("{} of {}", quantized, counted(quantized + s.float_nodes, "computing node"));
  text += fmt::format(" ({})", percent(s.quantized_share()));
  if (s.integer_nodes > 0) text += fmt::format(": {} on integers", counted(s.integer_nodes, "node"));
  if (s.qdq_nodes > 0)
    text += fmt::format("{}{} between conversions", s.integer_nodes > 0 ? ", " : ": ", counted(s.qdq_nodes, "node"));
  if (!s.share) text += fmt::format("; judged by the nodes next to each, for there is no program: {}", s.no_program);
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
  const auto noted = std::count_if(report.nodes.begin(), report.nodes.end(),
                                   [](const NodeReport& node) { return !node.notes.empty(); });
  std::string runs = !missing.empty()       ? fmt::format("not without {}", missing)
                     : s.no_program.empty() ? "every operator"
                                            : fmt::format("not: {}", s.no_program);
  if (noted > 0) runs += fmt::format("; {} with notes (!)", counted(noted, "node"));
  table.add({"runs", runs});
  for (const std::string& note : report.notes) table.add({"!", note});
  return table.text(width);
}

}  // namespace

std::string report_text(const ModelReport& report, const TextOptions& options) {
  return header_text(report) + values_text(report, options.width) + "\n" + node_table(report, options) + "\n" +
         summary_text(report, options.width);
}

}  // namespace octet
