#include "octet/inspect/read_report.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/support/report_names.h"
#include "octet/text/json.h"
#include "octet/text/values_from_json.h"

namespace octet {
namespace {

std::string domain_from(const Json& json) {
  const auto domain = json.get<std::string>();
  return domain == "ai.onnx" ? "" : domain;
}

template <typename Enum, std::size_t kCount>
Enum enumerator(const Json& json, const std::array<std::string_view, kCount>& names) {
  const auto name = json.get<std::string>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) fail(ErrorCode::kFormat, "{} is none of the words that belong there", json_excerpt(json));
  return static_cast<Enum>(found - names.begin());
}

Tensor tensor_from(const Json& json) {
  const DType dtype = type_from_json(json.at("type"));
  const auto shape = json.at("shape").get<Shape>();
  const Json& values = json.at("values");
  if (element_count(shape) != static_cast<std::int64_t>(values.size()))
    fail(ErrorCode::kFormat, "{} values for shape {}", values.size(), to_string(shape));
  if (is_integer(dtype))
    return convert(Tensor::from<std::int64_t>(shape, values.get<std::vector<std::int64_t>>()), dtype);
  if (!is_float(dtype)) return {};
  std::vector<double> numbers;
  for (const Json& value : values) numbers.push_back(number_from_json(value));
  return convert(Tensor::from<double>(shape, numbers), dtype);
}

ValueReport value_from(const Json& json) {
  if (json.is_null()) return {};
  return {json.at("name").get<std::string>(), type_from_json(json.at("type")), shape_from_json(json.at("shape")),
          json.contains("from") ? enumerator<Origin>(json["from"], kOriginNames) : Origin::kAbsent};
}

ParameterReport parameter_from(const Json& json) {
  if (json.is_null()) return {};
  return {json.at("name").get<std::string>(), enumerator<Origin>(json.at("from"), kOriginNames),
          json.contains("values") ? tensor_from(json) : Tensor()};
}

QuantizationReport quantization_from(const Json& json) {
  return {.role = json.at("role").get<std::string>(),
          .tensor = json.at("tensor").get<std::string>(),
          .dtype = type_from_json(json.at("type")),
          .granularity = enumerator<Granularity>(json.at("granularity"), kGranularityNames),
          .axis = json.value("axis", std::int64_t{0}),
          .block = json.value("block", std::int64_t{0}),
          .scale = parameter_from(json.at("scale")),
          .zero_point = parameter_from(json.at("zero_point"))};
}

WeightReport weight_from(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .input = json.at("input").get<std::size_t>(),
          .dtype = type_from_json(json.at("type")),
          .shape = json.at("shape").get<Shape>(),
          .count = json.at("count").get<std::int64_t>()};
}

void read_attribute(const std::string& name, const Json& json, NodeReport& node) {
  if (json.is_number_integer()) node.attributes.set(name, json.get<std::int64_t>());
  if (json.is_number_float()) node.attributes.set(name, json.get<float>());
  if (json.is_string()) node.attributes.set(name, json.get<std::string>());
  if (json.is_object() && json.contains("graph_nodes"))
    node.subgraphs.emplace_back(name, json["graph_nodes"].get<std::size_t>());
  if (!json.is_array()) return;
  const auto all = [&](auto is) { return std::all_of(json.begin(), json.end(), is); };
  if (all([](const Json& item) { return item.is_number_integer(); }))
    node.attributes.set(name, json.get<std::vector<std::int64_t>>());
  else if (all([](const Json& item) { return item.is_number(); }))
    node.attributes.set(name, json.get<std::vector<float>>());
  else if (all([](const Json& item) { return item.is_string(); }))
    node.attributes.set(name, json.get<std::vector<std::string>>());
}

template <typename F>
auto list_from(const Json& json, const F& item_from) {
  std::vector<decltype(item_from(json))> items;
  for (const Json& item : json) items.push_back(item_from(item));
  return items;
}

NodeReport node_from(const Json& json) {
  NodeReport node;
  node.name = json.at("name").get<std::string>();
  node.op_type = json.at("op_type").get<std::string>();
  node.domain = domain_from(json.at("domain"));
  node.opset = json.at("opset").get<int>();
  node.version = json.at("version").is_null() ? 0 : json["version"].get<int>();
  node.runs = json.at("runs").get<bool>();
  node.form = enumerator<Form>(json.at("form"), kFormNames);
  for (const auto& [name, value] : json.at("attributes").items()) read_attribute(name, value, node);
  node.inputs = list_from(json.at("inputs"), value_from);
  node.outputs = list_from(json.at("outputs"), value_from);
  node.quantization = list_from(json.at("quantization"), quantization_from);
  if (json.contains("quantization_around")) node.around = list_from(json["quantization_around"], quantization_from);
  node.weights = list_from(json.at("weights"), weight_from);
  node.counts_macs = json.contains("macs");
  if (node.counts_macs && !json["macs"].is_null()) node.macs = json["macs"].get<std::int64_t>();
  node.notes = json.at("notes").get<std::vector<std::string>>();
  return node;
}

CountReport count_from(const Json& json) {
  return {json.at("tensors").get<std::int64_t>(), json.at("elements").get<std::int64_t>(),
          json.at("bytes").get<std::int64_t>()};
}

Summary summary_from(const Json& json) {
  Summary s;
  const auto number = [&](const char* field) { return json.at(field).get<std::int64_t>(); };
  s.operators = list_from(json.at("operators"), [](const Json& op) {
    return OperatorCount{domain_from(op.at("domain")), op.at("op_type").get<std::string>(),
                         op.at("nodes").get<std::int64_t>(), op.at("runs").get<bool>()};
  });
  s.nodes = number("nodes");
  s.quantize_linear = number("quantize_linear");
  s.dequantize_linear = number("dequantize_linear");
  s.dynamic_quantize_linear = number("dynamic_quantize_linear");
  if (json.contains("quantized_steps") && !json["quantized_steps"].is_null())
    s.share = QuantizedShare{number("quantized_steps"), number("computing_steps")};
  if (json.contains("no_program") && !json["no_program"].is_null())
    s.no_program = json["no_program"].get<std::string>();
  s.integer_nodes = number("integer_nodes");
  s.qdq_nodes = number("qdq_nodes");
  s.float_nodes = number("float_nodes");
  s.weights = count_from(json.at("weights"));
  for (const auto& [type, count] : json["weights"].at("by_type").items()) s.weights_by_type[type] = count_from(count);
  s.macs = number("macs");
  s.macs_8bit = number("macs_8bit");
  s.uncounted_macs_nodes = number("macs_uncounted_nodes");
  s.symbols_as_one = json.at("macs_counted_as_one").get<std::vector<std::string>>();
  return s;
}

ModelReport report_from(const Json& json) {
  ModelReport report;
  report.path = json.at("file").at("path").get<std::string>();
  report.file_bytes = json["file"].at("bytes").get<std::uint64_t>();
  const Json& model = json.at("model");
  report.ir_version = model.at("ir_version").get<std::int64_t>();
  for (const Json& import : model.at("opsets"))
    report.opsets.emplace_back(domain_from(import.at("domain")), import.at("version").get<std::int64_t>());
  report.producer_name = model.at("producer_name").get<std::string>();
  report.producer_version = model.at("producer_version").get<std::string>();
  report.domain = model.at("domain").get<std::string>();
  report.model_version = model.at("model_version").get<std::int64_t>();
  report.graph_name = model.at("graph_name").get<std::string>();
  report.doc = model.at("doc").get<std::string>();
  for (const Json& entry : model.at("metadata"))
    report.metadata.emplace_back(entry.at("key").get<std::string>(), entry.at("value").get<std::string>());
  report.functions = model.at("functions").get<std::vector<std::string>>();
  report.inputs = list_from(model.at("inputs"), value_from);
  report.outputs = list_from(model.at("outputs"), value_from);
  report.summary = summary_from(json.at("summary"));
  report.notes = json.at("notes").get<std::vector<std::string>>();
  report.nodes = list_from(json.at("nodes"), node_from);
  return report;
}

}  // namespace

ModelReport report_from_json(std::string_view text) {
  try {
    const Json json = parse_json(text);
    if (!json.is_object() || json.value("schema", "") != kInspectSchema)
      fail(ErrorCode::kFormat, "not the JSON of octet inspect: its schema is not {}", kInspectSchema);
    return report_from(json);
  } catch (const Json::exception& error) {  // a field is missing, or of another type
    fail(ErrorCode::kFormat, "not the JSON of octet inspect: {}", error.what());
  }
}

}  // namespace octet
