#include "octet/program/program_json.h"

#include "octet/program/quantized_share.h"
#include "octet/text/element_json.h"
#include "octet/text/json.h"
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
  for (std::int64_t k = 0; k < tensor.size(); ++k) list.push_back(number_json(tensor, k));
  return list;
}

Json name_json(const Program& program, ValueId value) {
  return value == kNoValue ? Json() : Json(program.values[value].name);
}

Json value_json(const Program& program, const ProgramValue& value, const PlannedValue& memory) {
  Json json = {{"name", value.name},
               {"type", type_json(value.dtype)},
               {"shape", shape_json(value.shape)},
               {"quantization", quantization_json(value.quantization)},
               {"constant", !value.constant.empty()},
               {"offset", memory.place ? Json(memory.place->offset) : Json()},
               {"alias_of", name_json(program, memory.alias_of)},
               {"overwrites", name_json(program, memory.overwrites)}};
  if (!value.constant.empty() && value.constant.size() <= kMostElements)
    json["elements"] = elements_json(value.constant);
  return json;
}

Json weights_json(const Program& program, const Step& step, const work::Sum& sum) {
  if (sum.weights.empty()) return nullptr;
  const ProgramValue& w = *find_input(program, step.operations.front(), Role::kW);
  return {{"type", type_json(w.dtype)}, {"shape", w.constant.shape()}};
}

Json constants_json(const work::Sum& sum, const Scaling& scaling, Json weights) {
  return {{"channels", sum.channels},
          {"products", sum.products},
          {"weights", std::move(weights)},
          {"x_zero_point", sum.x_zero_point},
          {"x_scale", json_number(sum.x_scale)},
          {"w_zero_points", sum.w_zero_points},
          {"w_scales", numbers_json(sum.w_scales)},
          {"bias", sum.bias},
          {"starts", sum.starts},
          {"least", sum.least},
          {"greatest", sum.greatest},
          {"multipliers", numbers_json(scaling.multipliers)},
          {"y", quantization_json(scaling.y)}};
}

Json constants_json(const Meanings& meanings) {
  Json inputs = Json::array();
  for (const Quantization& input : meanings.inputs) inputs.push_back(quantization_json(input));
  return {{"inputs", inputs}, {"output", quantization_json(meanings.output)}};
}

Json constants_json(const Program& program, const Step& step) {
  const Work& work = step.work;
  if (const work::Sum* sum = sum_of(work))
    return constants_json(*sum, scaling_of(work), weights_json(program, step, *sum));
  if (const std::optional<Meanings> meanings = meanings_of(work)) return constants_json(*meanings);
  if (const auto* table = std::get_if<work::Table>(&work))
    return {{"input", type_json(table->input)}, {"output", type_json(table->output)}, {"bytes", table->bytes}};
  if (const auto* tables = std::get_if<work::ChannelTables>(&work))
    return {{"input", type_json(tables->input)},
            {"output", type_json(tables->output)},
            {"axis", tables->axis},
            {"tables", tables->tables}};
  return nullptr;
}

Json names_json(const Program& program, const std::vector<ValueId>& values) {
  Json names = Json::array();
  for (const ValueId value : values) names.push_back(name_json(program, value));
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

Json step_json(const Program& program, const Step& step, bool computes) {
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
          {"integer", is_integer(step)},
          {"computes", computes},
          {"dynamic", std::holds_alternative<work::QuantizeDynamically>(step.work)},
          {"inputs", names_json(program, inputs_of(program, step))},
          {"outputs", names_json(program, outputs_of(program, step))},
          {"operations", operations},
          {"sources", sources},
          {"reason", step.reason},
          {"warnings", warnings_of(step)},
          {"constants", constants_json(program, step)}};
}

}  // namespace

std::string program_json(const Program& program, const MemoryPlan& memory, std::string_view model) {
  const QuantizedShare share = quantized_share(program);
  Json values = Json::array(), steps = Json::array(), inputs = Json::array();
  for (ValueId value = 0; value < program.values.size(); ++value)
    values.push_back(value_json(program, program.values[value], memory.values[value]));
  const std::vector<bool> computing = computing_steps(program);
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    steps.push_back(step_json(program, program.steps[s], computing[s]));
  for (const ProgramInput& input : program.inputs) inputs.push_back(program.values[input.value].name);
  return json_text({{"schema", kProgramSchema},
                    {"octet", kVersion},
                    {"model", model},
                    {"policy", name(program.policy)},
                    {"inputs", inputs},
                    {"outputs", names_json(program, program.outputs)},
                    {"memory_bytes", memory.bytes ? Json(*memory.bytes) : Json()},
                    {"constant_bytes", constant_bytes(program)},
                    {"quantized_steps", share.quantized},
                    {"computing_steps", share.computing},
                    {"steps", steps},
                    {"values", values}});
}

}  // namespace octet
