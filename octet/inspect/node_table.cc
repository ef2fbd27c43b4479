#include "octet/inspect/node_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "octet/spec/operators.h"
#include "octet/spec/registry.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"

namespace octet {

std::string type_text(const ValueReport& value) {
  if (value.dtype == DType::kUndefined) return "?";
  return fmt::format("{} {}", name(value.dtype), value.shape ? to_string(*value.shape) : "of unknown rank");
}

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

std::string label_of(const NodeReport& node) {
  return node.name.empty() && !node.outputs.empty() ? node.outputs.front().name : node.name;
}

namespace {

bool has_numbers(const Tensor& values) {
  return values.size() > 0 && (is_float(values.dtype()) || is_integer(values.dtype()));
}

// "scale 0.0123", "64 scales 0.001..0.02".
std::string parameter_text(const std::string& what, const Tensor& values) {
  if (!has_numbers(values)) return fmt::format("{} of {}", what, name(values.dtype()));
  const std::string range = range_text(values);
  const bool equal = range.find("..") == std::string::npos;
  return equal ? fmt::format("{} {}", what, range) : fmt::format("{} {}s {}", values.size(), what, range);
}

std::string where_text(const QuantizationReport& q) {
  if (q.granularity == Granularity::kAxis) return fmt::format("on axis {}", q.axis);
  if (q.granularity == Granularity::kBlocked) return fmt::format("in blocks of {} on axis {}", q.block, q.axis);
  return {};
}

}  // namespace

std::string quantization_text(const QuantizationReport& q) {
  std::string known, later;
  const auto add = [&](const std::string& what, const ParameterReport& parameter) {
    if (parameter.origin == Origin::kAbsent) return;
    std::string& list = parameter.values.empty() ? later : known;
    if (!list.empty()) list += ", ";
    list += parameter.values.empty() ? what : parameter_text(what, parameter.values);
  };
  add("scale", q.scale);
  if (const std::string where = where_text(q); !where.empty())
    known += fmt::format("{}{}", known.empty() ? "" : " ", where);
  add("zero point", q.zero_point);
  if (!later.empty()) known += fmt::format("{}{} at run time", known.empty() ? "" : ", ", later);
  return q.role + ": " + known;
}

namespace {

std::string all_values(const std::string& what, const ParameterReport& parameter) {
  if (!has_numbers(parameter.values) || parameter.values.size() < 2) return {};
  std::string text = what + "s";
  for (std::int64_t i = 0; i < parameter.values.size(); ++i)
    text += fmt::format(" {}", element_text(parameter.values, i));
  return text;
}

// "int8 [32,3,3,3], int32 [32]"; "4 x float32 [16]" for some that are alike.
std::string weights_text(const NodeReport& node) {
  std::string text;
  for (std::size_t i = 0, alike; i < node.weights.size(); i += alike) {
    const auto same = [&](const WeightReport& w) {
      return w.dtype == node.weights[i].dtype && w.shape == node.weights[i].shape;
    };
    const auto first = node.weights.begin() + static_cast<std::ptrdiff_t>(i);
    alike = static_cast<std::size_t>(std::find_if_not(first, node.weights.end(), same) - first);
    if (!text.empty()) text += ", ";
    if (alike > 1) text += fmt::format("{} x ", alike);
    text += fmt::format("{} {}", name(first->dtype), to_string(first->shape));
  }
  return text;
}

struct AttributeToText {
  std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(float v) const { return fmt::format("{}", v); }
  std::string operator()(const std::string& v) const { return v; }
  std::string operator()(const Tensor& v) const { return fmt::format("{} {}", name(v.dtype()), to_string(v.shape())); }
  template <typename T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text;
    for (const T& v : list) text += fmt::format("{}{}", text.empty() ? "" : ",", (*this)(v));
    return fmt::format("[{}]", text);
  }
};

}  // namespace

std::string attributes_text(const NodeReport& node) {
  std::string text;
  for (const auto& [attribute, value] : node.attributes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", attribute, std::visit(AttributeToText(), value.value));
  return text;
}

namespace {

std::string output_text(const NodeReport& node) {
  if (node.outputs.empty()) return {};
  const std::string first = type_text(node.outputs.front());
  return node.outputs.size() == 1 ? first : fmt::format("{} + {} more", first, node.outputs.size() - 1);
}

// What stands in the last column: the weights, a line for each tensor that is quantized, then notes.
std::vector<std::string> remarks(const NodeReport& node, const TextOptions& options) {
  std::vector<std::string> lines;
  if (options.attributes && node.attributes.size() > 0) lines.push_back(attributes_text(node));
  if (!node.weights.empty()) lines.push_back(weights_text(node));
  for (const QuantizationReport& q : options.layers && !node.around.empty() ? node.around : node.quantization) {
    lines.push_back(quantization_text(q));
    if (!options.values) continue;
    for (const std::string& values : {all_values("scale", q.scale), all_values("zero point", q.zero_point)})
      if (!values.empty()) lines.push_back(values);
  }
  for (const auto& [attribute, nodes] : node.subgraphs)
    lines.push_back(fmt::format("{}: {}", attribute, counted(static_cast<std::int64_t>(nodes), "node")));
  if (!node.runs) lines.push_back("! not run");
  for (const std::string& note : node.notes) lines.push_back(fmt::format("! {}", note));
  return lines;
}

bool is_layer(const NodeReport& node) {
  return node.form != Form::kConversion && !is(find_operator(node.domain, node.op_type), ops::kConstant);
}

}  // namespace

std::string node_table(const ModelReport& report, const TextOptions& options) {
  Table table({{"#", Table::Fit::kWhole, true},
               {"node", Table::Fit::kShorten, false, 16},
               {"operator", Table::Fit::kShorten, false, 26},
               {"output", Table::Fit::kShorten, false, 24},
               {"MACs", Table::Fit::kWhole, true},
               {"weights, quantization", Table::Fit::kWrap, false, 36}});
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

}  // namespace octet
