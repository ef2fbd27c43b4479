#include "octet/inspect/node_details.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "octet/graph/index.h"
#include "octet/inspect/node_table.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"

namespace octet {
namespace {

std::optional<ConstantReport> constant_report(const Initializer& constant) {
  const Tensor& tensor = constant.tensor;
  if (tensor.size() == 0 || !(is_float(tensor.dtype()) || is_integer(tensor.dtype()))) return std::nullopt;
  ConstantReport report{.name = constant.name, .least = tensor.number_at(0), .greatest = tensor.number_at(0)};
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.number_at(i);
    if (!std::isfinite(value)) return std::nullopt;
    report.least = std::min(report.least, value);
    report.greatest = std::max(report.greatest, value);
    report.zeros += value == 0 ? 1 : 0;
    sum += value;
  }
  const auto count = static_cast<double>(tensor.size());
  report.mean = sum / count;
  const double step = (report.greatest - report.least) / static_cast<double>(report.histogram.size());
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.number_at(i);
    squares += (value - report.mean) * (value - report.mean);
    const auto part = step > 0 ? static_cast<std::size_t>((value - report.least) / step) : 0;
    ++report.histogram[std::min(part, report.histogram.size() - 1)];
  }
  report.deviation = std::sqrt(squares / count);
  return report;
}

NeighbourReport neighbour(const NodeReport& node, const std::string& value) {
  return {label_of(node), node.op_type, value};
}

std::string node_text(const NeighbourReport& neighbour) {
  return fmt::format("{} ({})", neighbour.node, neighbour.op_type);
}

// "conv_1 (Conv)" of the neighbours that share a value, or where else it comes from.
std::string others_text(const std::vector<NeighbourReport>& neighbours, const ValueReport& value, const char* word) {
  std::string text;
  for (const NeighbourReport& other : neighbours)
    if (other.value == value.name) text += fmt::format("{}{}", text.empty() ? word : ", ", node_text(other));
  if (!text.empty()) return text;
  return value.origin == Origin::kInput ? "given by the caller" : value.origin == Origin::kInitializer ? "stored" : "";
}

// One line for each part of the histogram, its bar at most `width` long.
void add_histogram(Table& table, const ConstantReport& constant) {
  constexpr std::int64_t kLongest = 32;
  const std::int64_t most = *std::max_element(constant.histogram.begin(), constant.histogram.end());
  const double step = (constant.greatest - constant.least) / static_cast<double>(constant.histogram.size());
  for (std::size_t i = 0; i < constant.histogram.size(); ++i) {
    const std::int64_t count = constant.histogram[i];
    const auto length = static_cast<std::size_t>((count * kLongest + most - 1) / most);
    table.add({"", fmt::format("{:.4g} ..", constant.least + step * static_cast<double>(i)), grouped(count),
               std::string(length, '#')});
    if (step == 0) return;
  }
}

}  // namespace

NodeDetails node_details(const Model& model, const ModelReport& report, std::size_t node) {
  const NodeReport& of = report.nodes.at(node);
  const GraphIndex index(model.graph);
  NodeDetails details{.node = node};
  for (const ValueReport& input : of.inputs)
    if (const auto producer = index.producer(input.name))
      details.before.push_back(neighbour(report.nodes.at(*producer), input.name));
  for (const ValueReport& output : of.outputs)
    for (const std::size_t consumer : index.consumers(output.name))
      details.after.push_back(neighbour(report.nodes.at(consumer), output.name));
  for (const WeightReport& weight : of.weights)
    if (const Initializer* constant = find_initializer(model.graph, weight.name))
      if (std::optional<ConstantReport> found = constant_report(*constant))
        details.constants.push_back(std::move(*found));
  return details;
}

std::string node_details_text(const ModelReport& report, const NodeDetails& details, std::size_t width) {
  const NodeReport& node = report.nodes.at(details.node);
  std::string text = fmt::format("{} ({}), node {}{}\n", label_of(node), node.op_type, details.node,
                                 node.macs ? fmt::format(", {} MACs", grouped(*node.macs)) : "");
  Table table({{""}, {"", Table::Fit::kShorten}, {"", Table::Fit::kShorten}, {"", Table::Fit::kWrap, false, 24}});
  if (node.attributes.size() > 0) table.add({"attributes", "", "", attributes_text(node)});
  for (const ValueReport& input : node.inputs)
    if (input.origin != Origin::kAbsent)
      table.add({"input", input.name, type_text(input), others_text(details.before, input, "from ")});
  for (const ValueReport& output : node.outputs)
    table.add({"output", output.name, type_text(output), others_text(details.after, output, "to ")});
  for (const auto* quantizations : {&node.quantization, &node.around})
    for (const QuantizationReport& q : *quantizations) table.add({"quantized", q.tensor, "", quantization_text(q)});
  for (const auto& [tensor, range] : details.ranges)
    table.add({"range", tensor, fmt::format("{:.6g}..{:.6g}", range.first, range.second), "observed"});
  for (const std::string& note : node.notes) table.add({"note", "", "", note});
  text += table.text(width);
  for (const ConstantReport& constant : details.constants) {
    text += fmt::format("\n{}: {:.6g}..{:.6g}, mean {:.4g}, deviation {:.4g}, {} zero\n", constant.name, constant.least,
                        constant.greatest, constant.mean, constant.deviation, grouped(constant.zeros));
    Table bars({{""}, {"", Table::Fit::kWhole, true}, {"", Table::Fit::kWhole, true}, {""}});
    add_histogram(bars, constant);
    text += bars.text(width);
  }
  return text;
}

std::string node_details_text(const ModelReport& report, const std::vector<NodeDetails>& details, std::size_t width) {
  std::string text;
  for (const NodeDetails& of : details) {
    if (!text.empty()) text += '\n';
    text += node_details_text(report, of, width);
  }
  return text;
}

}  // namespace octet
