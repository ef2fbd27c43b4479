#include "octet/inspect/report_json.h"

#include "octet/inspect/support/report_names.h"
#include "octet/text/element_json.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr std::int64_t kMostAttributeElements = 1024;

Json type_json(DType dtype) { return dtype == DType::kUndefined ? Json() : Json(name(dtype)); }

Json shape_json(const std::optional<SymbolicShape>& shape) {
  if (!shape) return nullptr;
  Json dims = Json::array();
  for (const Dim& dim : *shape) {
    if (dim.known())
      dims.push_back(dim.value());
    else
      dims.push_back(dim.is_symbol() ? Json(dim.symbol()) : Json());
  }
  return dims;
}

Json elements_json(const Tensor& tensor) {
  Json values = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) values.push_back(element_json(tensor, i));
  return values;
}

Json value_json(const ValueReport& value) {
  if (value.origin == Origin::kAbsent) return nullptr;
  return {{"name", value.name},
          {"type", type_json(value.dtype)},
          {"shape", shape_json(value.shape)},
          {"from", text_of(value.origin)}};
}

// A graph's own inputs and outputs: where they come from is what they are.
Json border_json(const ValueReport& value) {
  return {{"name", value.name}, {"type", type_json(value.dtype)}, {"shape", shape_json(value.shape)}};
}

Json attribute_json(const AttributeValue& value);

Json tensor_json(const Tensor& tensor) {
  Json json = {{"type", type_json(tensor.dtype())}, {"shape", tensor.shape()}};
  if (tensor.size() <= kMostAttributeElements) json["values"] = elements_json(tensor);
  return json;
}

struct AttributeToJson {
  Json operator()(const Tensor& v) const { return tensor_json(v); }
  Json operator()(float v) const { return json_number(v); }
  Json operator()(const std::vector<float>& v) const { return list(v); }
  Json operator()(const std::vector<Tensor>& v) const { return list(v); }
  template <typename T>
  Json operator()(const T& v) const {
    return v;
  }

 private:
  template <typename T>
  Json list(const std::vector<T>& values) const {
    Json json = Json::array();
    for (const T& v : values) json.push_back((*this)(v));
    return json;
  }
};

Json attribute_json(const AttributeValue& value) { return std::visit(AttributeToJson(), value); }

Json attributes_json(const NodeReport& node) {
  Json json = Json::object();
  for (const auto& [name, attribute] : node.attributes) json[name] = attribute_json(attribute.value);
  for (const auto& [name, nodes] : node.subgraphs) json[name] = {{"graph_nodes", nodes}};
  return json;
}

Json parameter_json(const ParameterReport& parameter) {
  if (parameter.origin == Origin::kAbsent) return nullptr;
  Json json = {{"name", parameter.name}, {"from", text_of(parameter.origin)}};
  if (parameter.values.empty()) return json;
  json["type"] = name(parameter.values.dtype());
  json["shape"] = parameter.values.shape();
  json["values"] = elements_json(parameter.values);
  return json;
}

Json quantization_json(const QuantizationReport& q) {
  Json json = {
      {"role", q.role}, {"tensor", q.tensor}, {"type", type_json(q.dtype)}, {"granularity", text_of(q.granularity)}};
  if (q.granularity == Granularity::kAxis || q.granularity == Granularity::kBlocked) json["axis"] = q.axis;
  if (q.granularity == Granularity::kBlocked) json["block"] = q.block;
  json["scale"] = parameter_json(q.scale);
  json["zero_point"] = parameter_json(q.zero_point);
  return json;
}

// Those of a node that are known, by role: {"x": [0.1], "w": [0.01, 0.02], "y": [0.2]}.
Json scales_json(const NodeReport& node) {
  Json json = Json::object();
  for (const auto* quantizations : {&node.quantization, &node.around})
    for (const QuantizationReport& q : *quantizations)
      if (!q.scale.values.empty()) json[q.role] = elements_json(q.scale.values);
  return json;
}

Json weight_json(const WeightReport& weight) {
  return {{"name", weight.name},
          {"input", weight.input},
          {"type", type_json(weight.dtype)},
          {"shape", weight.shape},
          {"count", weight.count}};
}

template <typename T, typename F>
Json list_json(const std::vector<T>& items, const F& to_json) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to_json(item));
  return json;
}

Json node_json(const NodeReport& node, std::size_t index) {
  Json json = {{"index", index},
               {"name", node.name},
               {"op_type", node.op_type},
               {"domain", domain_name(node.domain)},
               {"opset", node.opset},
               {"version", node.version ? Json(node.version) : Json()},
               {"runs", node.runs},
               {"form", text_of(node.form)},
               {"attributes", attributes_json(node)},
               {"inputs", list_json(node.inputs, value_json)},
               {"outputs", list_json(node.outputs, value_json)},
               {"quantization", list_json(node.quantization, quantization_json)}};
  if (node.form == Form::kQdq) json["quantization_around"] = list_json(node.around, quantization_json);
  json["scales"] = scales_json(node);
  json["weights"] = list_json(node.weights, weight_json);
  if (node.counts_macs) json["macs"] = node.macs ? Json(*node.macs) : Json();
  json["notes"] = node.notes;
  return json;
}

Json model_json(const ModelReport& report) {
  const auto opset = [](const auto& import) {
    return Json{{"domain", domain_name(import.first)}, {"version", import.second}};
  };
  const auto property = [](const auto& entry) { return Json{{"key", entry.first}, {"value", entry.second}}; };
  return {{"ir_version", report.ir_version},
          {"opsets", list_json(report.opsets, opset)},
          {"producer_name", report.producer_name},
          {"producer_version", report.producer_version},
          {"domain", report.domain},
          {"model_version", report.model_version},
          {"graph_name", report.graph_name},
          {"doc", report.doc},
          {"metadata", list_json(report.metadata, property)},
          {"functions", report.functions},
          {"inputs", list_json(report.inputs, border_json)},
          {"outputs", list_json(report.outputs, border_json)}};
}

Json count_json(const CountReport& count) {
  return {{"tensors", count.tensors}, {"elements", count.elements}, {"bytes", count.bytes}};
}

Json summary_json(const Summary& s) {
  const auto op = [](const OperatorCount& c) {
    return Json{{"domain", domain_name(c.domain)}, {"op_type", c.op_type}, {"nodes", c.nodes}, {"runs", c.runs}};
  };
  Json by_type = Json::object();
  for (const auto& [type, count] : s.weights_by_type) by_type[type] = count_json(count);
  Json weights = count_json(s.weights);
  weights["by_type"] = by_type;
  return {{"nodes", s.nodes},
          {"operators", list_json(s.operators, op)},
          {"quantize_linear", s.quantize_linear},
          {"dequantize_linear", s.dequantize_linear},
          {"dynamic_quantize_linear", s.dynamic_quantize_linear},
          {"quantized_steps", s.share ? Json(s.share->quantized) : Json()},
          {"computing_steps", s.share ? Json(s.share->computing) : Json()},
          {"no_program", s.share ? Json() : Json(s.no_program)},
          {"integer_nodes", s.integer_nodes},
          {"qdq_nodes", s.qdq_nodes},
          {"float_nodes", s.float_nodes},
          {"quantized_share", s.quantized_share()},
          {"weights", weights},
          {"macs", s.macs},
          {"macs_8bit", s.macs_8bit},
          {"macs_8bit_share", s.macs_8bit_share()},
          {"macs_uncounted_nodes", s.uncounted_macs_nodes},
          {"macs_counted_as_one", s.symbols_as_one}};
}

Json details_json(const NodeDetails& details) {
  const auto neighbour = [](const NeighbourReport& n) {
    return Json{{"node", n.node}, {"op_type", n.op_type}, {"value", n.value}};
  };
  const auto constant = [](const ConstantReport& c) {
    return Json{{"name", c.name},
                {"least", json_number(c.least)},
                {"greatest", json_number(c.greatest)},
                {"mean", json_number(c.mean)},
                {"deviation", json_number(c.deviation)},
                {"zeros", c.zeros},
                {"histogram", c.histogram}};
  };
  Json ranges = Json::object();
  for (const auto& [tensor, range] : details.ranges)
    ranges[tensor] = {json_number(range.first), json_number(range.second)};
  return {{"before", list_json(details.before, neighbour)},
          {"after", list_json(details.after, neighbour)},
          {"constants", list_json(details.constants, constant)},
          {"ranges", ranges}};
}

std::string document(const ModelReport& report, const Json& nodes) {
  return json_text({{"schema", kInspectSchema},
                    {"octet", kVersion},
                    {"file", {{"path", report.path}, {"bytes", report.file_bytes}}},
                    {"model", model_json(report)},
                    {"summary", summary_json(report.summary)},
                    {"notes", report.notes},
                    {"nodes", nodes}});
}

}  // namespace

std::string report_json(const ModelReport& report) {
  Json nodes = Json::array();
  for (const NodeReport& node : report.nodes) nodes.push_back(node_json(node, nodes.size()));
  return document(report, nodes);
}

std::string report_json(const ModelReport& report, const std::vector<NodeDetails>& details) {
  Json nodes = Json::array();
  for (const NodeDetails& of : details) {
    nodes.push_back(node_json(report.nodes.at(of.node), of.node));
    nodes.back()["details"] = details_json(of);
  }
  return document(report, nodes);
}

}  // namespace octet
