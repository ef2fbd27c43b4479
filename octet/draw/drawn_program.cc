#include "octet/draw/drawn_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "octet/base/fail.h"
#include "octet/program/program_json.h"
#include "octet/text/json.h"
#include "octet/text/values_from_json.h"

namespace octet {
namespace {

std::vector<std::string> names_of(const Program& program, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(program.values[value].name);
  return names;
}

std::string weights_text(std::string_view type, const Shape& shape) {
  return fmt::format("{} {}", type, to_string(shape));
}

// Of the least and the greatest accumulator of each channel.
std::optional<Interval> reach_of(const std::vector<std::int64_t>& least, const std::vector<std::int64_t>& greatest) {
  if (least.empty() || greatest.empty()) return std::nullopt;
  return Interval{*std::ranges::min_element(least), *std::ranges::max_element(greatest)};
}

DrawnSum drawn_sum(const Program& program, const Step& step, const work::Sum& sum) {
  DrawnSum drawn{.weights = "",
                 .products = sum.products,
                 .reach = reach_of({sum.least.begin(), sum.least.end()}, {sum.greatest.begin(), sum.greatest.end()}),
                 .multipliers = scaling_of(step.work).multipliers};
  if (!sum.weights.empty()) {
    const ProgramValue& w = *find_input(program, step.operations.front(), Role::kW);
    drawn.weights = weights_text(name(w.dtype), w.constant.shape());
  }
  return drawn;
}

// ---- from JSON

std::vector<std::string> names_from(const Json& json) { return json.get<std::vector<std::string>>(); }

StepKind kind_named(const Json& json) {
  const auto wanted = json.get<std::string>();
  for (int i = 0; i < kStepKindCount; ++i)
    if (name(static_cast<StepKind>(i)) == wanted) return static_cast<StepKind>(i);
  fail(ErrorCode::kFormat, "{} is no kind of step", json_excerpt(json));
}

float scale_from(const Json& json) { return static_cast<float>(number_from_json(json)); }

Quantization meaning_from(const Json& json) {
  return {scale_from(json.at("scale")), json.at("zero_point").get<std::int32_t>()};
}

DrawnValue drawn_value_from(const Json& json) {
  DrawnValue value{type_from_json(json.at("type")), shape_from_json(json.at("shape")), std::nullopt};
  if (const Json& quantization = json.at("quantization"); !quantization.is_null())
    value.quantization = meaning_from(quantization);
  return value;
}

// Those that titles show: integers and lists of them.
Attributes sizes_from(const Json& json) {
  Attributes attributes;
  for (const auto& [name, value] : json.items()) {
    const auto is_integer = [](const Json& item) { return item.is_number_integer(); };
    if (is_integer(value)) attributes.set(name, value.get<std::int64_t>());
    if (value.is_array() && std::all_of(value.begin(), value.end(), is_integer))
      attributes.set(name, value.get<std::vector<std::int64_t>>());
  }
  return attributes;
}

DrawnSum drawn_sum_from(const Json& json) {
  DrawnSum sum{.weights = "",
               .products = json.at("products").get<std::int64_t>(),
               .reach = reach_of(json.at("least").get<std::vector<std::int64_t>>(),
                                 json.at("greatest").get<std::vector<std::int64_t>>()),
               .multipliers = {}};
  if (const Json& weights = json.at("weights"); !weights.is_null())
    sum.weights = weights_text(weights.at("type").get<std::string>(), weights.at("shape").get<Shape>());
  for (const Json& multiplier : json.at("multipliers")) sum.multipliers.push_back(scale_from(multiplier));
  return sum;
}

DrawnStep drawn_step_from(const Json& json) {
  DrawnStep step{.name = json.at("name").get<std::string>(),
                 .kind = kind_named(json.at("kind")),
                 .computes = json.at("computes").get<bool>(),
                 .dynamic = json.at("dynamic").get<bool>(),
                 .inputs = names_from(json.at("inputs")),
                 .outputs = names_from(json.at("outputs"))};
  if (const Json& operations = json.at("operations"); !operations.empty()) {
    step.op = operations[0].at("operator").get<std::string>();
    step.attributes = sizes_from(operations[0].at("attributes"));
  }
  const Json& constants = json.at("constants");
  if (constants.contains("products")) step.sum = drawn_sum_from(constants);
  if (constants.contains("bytes")) step.table_bytes = constants["bytes"].size();
  if (constants.contains("tables")) step.tables = constants["tables"].size();
  if (constants.contains("inputs")) {
    step.operands = Meanings{.inputs = {}, .output = meaning_from(constants.at("output"))};
    for (const Json& input : constants["inputs"]) step.operands->inputs.push_back(meaning_from(input));
  }
  return step;
}

}  // namespace

DrawnProgram drawn_program(const Program& program, const std::string& path) {
  DrawnProgram drawn{.path = path,
                     .inputs = {},
                     .outputs = names_of(program, program.outputs),
                     .values = {},
                     .steps = {},
                     .share = quantized_share(program)};
  for (const ProgramInput& input : program.inputs) drawn.inputs.push_back(program.values[input.value].name);
  for (const ProgramValue& value : program.values)
    drawn.values[value.name] = {value.dtype, value.shape, value.quantization};
  const std::vector<bool> computing = computing_steps(program);
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    DrawnStep to{.name = step.name,
                 .kind = step.kind,
                 .computes = computing[s],
                 .dynamic = std::holds_alternative<work::QuantizeDynamically>(step.work),
                 .inputs = names_of(program, inputs_of(program, step)),
                 .outputs = names_of(program, outputs_of(program, step)),
                 .operands = meanings_of(step.work)};
    if (!step.operations.empty()) {
      to.op = step.operations[0].op->name;
      to.attributes = step.operations[0].attributes;
    }
    if (const work::Sum* sum = sum_of(step.work)) to.sum = drawn_sum(program, step, *sum);
    if (const auto* table = std::get_if<work::Table>(&step.work)) to.table_bytes = table->bytes.size();
    if (const auto* tables = std::get_if<work::ChannelTables>(&step.work)) to.tables = tables->tables.size();
    drawn.steps.push_back(std::move(to));
  }
  return drawn;
}

DrawnProgram drawn_program_from_json(std::string_view text) {
  try {
    const Json json = parse_json(text);
    if (!json.is_object() || json.value("schema", "") != kProgramSchema)
      fail(ErrorCode::kFormat, "not the JSON of octet lower: its schema is not {}", kProgramSchema);
    DrawnProgram drawn{
        .path = json.at("model").get<std::string>(),
        .inputs = names_from(json.at("inputs")),
        .outputs = names_from(json.at("outputs")),
        .values = {},
        .steps = {},
        .share = {json.at("quantized_steps").get<std::int64_t>(), json.at("computing_steps").get<std::int64_t>()}};
    for (const Json& value : json.at("values"))
      drawn.values[value.at("name").get<std::string>()] = drawn_value_from(value);
    for (const Json& step : json.at("steps")) drawn.steps.push_back(drawn_step_from(step));
    return drawn;
  } catch (const Json::exception& error) {  // a field is missing, or of another type
    fail(ErrorCode::kFormat, "not the JSON of octet lower: {}", error.what());
  }
}

}  // namespace octet
