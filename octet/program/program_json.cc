#include "octet/program/program_json.h"

#include "octet/report/json.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr std::int64_t kMostElements = 1024;

Json shape_json(const std::optional<SymbolicShape>& shape) {
  if (!shape) return nullptr;
  Json dims = Json::array();
  for (const Dim& dim : *shape)
    dims.push_back(dim.known() ? Json(dim.value()) : dim.is_symbol() ? Json(dim.symbol()) : Json());
  return dims;
}

Json type_json(DType dtype) { return dtype == DType::kUndefined ? Json() : Json(name(dtype)); }

Json quantization_json(const std::optional<Quantization>& quantization) {
  if (!quantization) return nullptr;
  return {{"scale", json_number(quantization->scale)}, {"zero_point", quantization->zero_point}};
}

Json numbers_json(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(json_number(value));
  return list;
}

Json elements_json(const Tensor& tensor) {
  Json list = Json::array();
  for (std::int64_t k = 0; k < tensor.size(); ++k)
    list.push_back(is_float(tensor.dtype())
                       ? json_number(tensor.dtype() == DType::kDouble ? Json(tensor.number_at(k)).get<double>()
                                                                      : tensor.number_at(k))
                       : Json(tensor.int_at(k)));
  return list;
}

Json value_json(const ProgramValue& value) {
  Json json = {{"name", value.name},
               {"type", type_json(value.dtype)},
               {"shape", shape_json(value.shape)},
               {"quantization", quantization_json(value.quantization)},
               {"constant", !value.constant.empty()},
               {"offset", value.offset ? Json(*value.offset) : Json()}};
  if (!value.constant.empty() && value.constant.size() <= kMostElements)
    json["elements"] = elements_json(value.constant);
  return json;
}

Json constants_json(const std::monostate&) { return nullptr; }

Json constants_json(const Accumulation& sum) {
  return {{"channels", sum.channels},
          {"products", sum.products},
          {"x_zero_point", sum.x_zero_point},
          {"x_scale", json_number(sum.x_scale)},
          {"w_zero_points", sum.w_zero_points},
          {"w_scales", numbers_json(sum.w_scales)},
          {"bias", sum.bias},
          {"starts", sum.starts},
          {"least", sum.least},
          {"greatest", sum.greatest},
          {"multipliers", numbers_json(sum.multipliers)},
          {"y", quantization_json(sum.y)}};
}

Json constants_json(const Operands& operands) {
  Json inputs = Json::array();
  for (const Quantization& input : operands.inputs) inputs.push_back(quantization_json(input));
  return {{"inputs", inputs}, {"output", quantization_json(operands.output)}};
}

Json constants_json(const TableEntries& table) {
  return {{"input", type_json(table.input)}, {"output", type_json(table.output)}, {"bytes", table.bytes}};
}

Json names_json(const Program& program, const std::vector<ValueId>& values) {
  Json names = Json::array();
  for (const ValueId value : values) names.push_back(value == kNoValue ? Json() : Json(program.values[value].name));
  return names;
}

Json attribute_json(const AttributeValue& value) {
  return std::visit(
      []<typename T>(const T& v) -> Json {
        if constexpr (std::is_same_v<T, float>)
          return json_number(v);
        else if constexpr (std::is_same_v<T, std::vector<float>>)
          return numbers_json(v);
        else if constexpr (std::is_same_v<T, Tensor>)
          return v.size() <= kMostElements ? elements_json(v) : Json();
        else if constexpr (std::is_same_v<T, std::vector<Tensor>>)
          return nullptr;
        else
          return v;
      },
      value);
}

Json step_json(const Program& program, const Step& step) {
  Json operations = Json::array(), sources = Json::array();
  for (const Operation& operation : step.operations) {
    Json attributes = Json::object();
    for (const auto& [key, attribute] : operation.attributes) attributes[key] = attribute_json(attribute.value);
    operations.push_back({{"domain", operation.op->domain.empty() ? "ai.onnx" : operation.op->domain},
                          {"operator", operation.op->name},
                          {"opset", operation.opset},
                          {"attributes", attributes},
                          {"inputs", names_json(program, operation.inputs)},
                          {"outputs", names_json(program, operation.outputs)}});
  }
  for (const SourceNode& source : step.sources)
    sources.push_back({{"name", source.name}, {"operator", source.op_type}});
  return {{"name", step.name},
          {"kind", name(step.kind)},
          {"integer", is_integer(step.kind)},
          {"inputs", names_json(program, inputs_of(program, step))},
          {"outputs", names_json(program, outputs_of(program, step))},
          {"operations", operations},
          {"sources", sources},
          {"reason", step.reason},
          {"warnings", step.warnings},
          {"constants", std::visit([](const auto& constants) { return constants_json(constants); }, step.constants)}};
}

}  // namespace

std::string program_json(const Program& program, std::string_view model, std::string_view policy) {
  Json values = Json::array(), steps = Json::array(), inputs = Json::array();
  for (const ProgramValue& value : program.values) values.push_back(value_json(value));
  for (const Step& step : program.steps) steps.push_back(step_json(program, step));
  for (const ProgramInput& input : program.inputs) inputs.push_back(program.values[input.value].name);
  return json_text({{"schema", "octet.program/1"},
                    {"octet", kVersion},
                    {"model", model},
                    {"policy", policy},
                    {"inputs", inputs},
                    {"outputs", names_json(program, program.outputs)},
                    {"memory_bytes", program.memory_bytes ? Json(*program.memory_bytes) : Json()},
                    {"constant_bytes", program.constant_bytes},
                    {"steps", steps},
                    {"values", values}});
}

}  // namespace octet
