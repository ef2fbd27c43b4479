#include <fmt/core.h>

#include <map>
#include <set>

#include "octet/draw/support/labels.h"
#include "octet/draw/support/report_graph.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/inspect/node_table.h"

namespace octet {
namespace {

PictureNode drawn_node(const NodeReport& node) {
  PictureNode result{.kind = kind_of_operator(node.op_type),
                     .name = label_of(node),
                     .title = operator_title(node.op_type, node.attributes),
                     .adds = is_addition(node.op_type),
                     .floating = node.form == Form::kFloat};
  for (const QuantizationReport& q : node.quantization) {
    PictureLine line = quantization_line(q);
    if (node.quantization.size() > 1) line.text = q.role + ": " + line.text;
    result.lines.push_back(std::move(line));
  }
  return result;
}

std::set<std::string> parameter_names(const NodeReport& node) {
  std::set<std::string> names;
  for (const QuantizationReport& q : node.quantization) names.insert({q.scale.name, q.zero_point.name});
  return names;
}

}  // namespace

Picture full_view(const ModelReport& report) {
  const ReportGraph graph(report);
  Picture picture{.title = picture_title(report.path, "every node")};
  std::map<std::string, std::size_t> made;  // where a value comes from
  for (const ValueReport& input : report.inputs)
    if (made.try_emplace(input.name, picture.nodes.size()).second) picture.nodes.push_back(border_node(input));
  std::vector<std::size_t> positions;
  for (const NodeReport& node : report.nodes) {
    const std::set<std::string> parameters = parameter_names(node);
    for (const ValueReport& input : node.inputs) {  // stored scales and zero points are lines of the node
      if (input.name.empty() || graph.maker(input.name) || parameters.contains(input.name)) continue;
      if (!made.try_emplace(input.name, picture.nodes.size()).second) continue;
      picture.nodes.push_back({.kind = NodeKind::kStored, .name = input.name, .title = type_text(input)});
    }
    for (const ValueReport& output : node.outputs) made.try_emplace(output.name, picture.nodes.size());
    if (!node.quantization.empty()) picture.remarks = {std::string(kScaleRemark)};
    positions.push_back(picture.nodes.size());
    picture.nodes.push_back(drawn_node(node));
  }
  Wiring wiring;
  const auto connect = [&](const ValueReport& value, std::size_t reader) {
    const auto maker = made.find(value.name);
    if (value.name.empty() || maker == made.end()) return;
    const bool stored = picture.nodes[maker->second].kind == NodeKind::kStored;
    wiring.add(value.name, maker->second, reader, wire_kind(value.dtype),
               stored ? std::vector<PictureLine>() : std::vector<PictureLine>{{type_text(value), ""}});
  };
  for (std::size_t i = 0; i < report.nodes.size(); ++i)
    for (const ValueReport& input : report.nodes[i].inputs) connect(input, positions[i]);
  for (const ValueReport& output : report.outputs) {
    picture.nodes.push_back(border_node(output));
    connect(output, picture.nodes.size() - 1);
  }
  wiring.draw(picture);
  return picture;
}

}  // namespace octet
