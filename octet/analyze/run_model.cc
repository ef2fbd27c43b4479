#include "octet/analyze/run_model.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/statistics.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet {
namespace {

// The results in the order of the program's outputs, or of its steps.
std::vector<std::string> names_in_order(const Program& program, bool all) {
  std::vector<std::string> names;
  if (!all) {
    for (const ValueId output : program.outputs) names.push_back(program.values[output].name);
    return names;
  }
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) names.push_back(program.values[output].name);
  return names;
}

}  // namespace

RunResult run_model(const Engine& engine, NamedTensors inputs, bool all, const Progress& progress) {
  NamedTensors results = engine.run(inputs, {.keep_all = all, .progress = progress});
  return {std::move(inputs), std::move(results), names_in_order(engine.program(), all)};
}

std::string run_text(const RunResult& found, std::size_t width) {
  Table table({{"output", Table::Fit::kShorten, false, 20},
               {"type"},
               {"shape"},
               {"min", Table::Fit::kWhole, true},
               {"max", Table::Fit::kWhole, true},
               {"mean", Table::Fit::kWhole, true},
               {"first values", Table::Fit::kWrap, false, 24}});
  for (const std::string& name : found.order) {
    const auto result = found.results.find(name);
    if (result == found.results.end()) continue;
    const Tensor& tensor = result->second;
    std::vector<std::string> row = {name, std::string(octet::name(tensor.dtype())), to_string(tensor.shape())};
    const std::optional<Statistics> s = statistics_of(tensor);
    row.push_back(s ? element_text(tensor, s->least) : "");
    row.push_back(s ? element_text(tensor, s->greatest) : "");
    row.push_back(s ? fmt::format("{:.6g}", s->mean) : "");
    row.push_back(first_elements(tensor, 4));
    if (s && s->nans > 0) row.back() += fmt::format(" ({} NaN)", s->nans);
    table.add(std::move(row));
  }
  return table.text(width);
}

std::string run_json(const RunResult& found, const RunSource& source) {
  Json given = Json::array(), computed = Json::array();
  for (const auto& [name, tensor] : found.inputs) given.push_back(tensor_facts(name, tensor));
  for (const std::string& name : found.order)
    if (const auto result = found.results.find(name); result != found.results.end())
      computed.push_back(tensor_facts(name, result->second));
  return json_text({{"schema", "octet.run/1"},
                    {"octet", kVersion},
                    {"model", source.model},
                    {"policy", source.policy},
                    {"engine", source.engine},
                    {"arithmetic", source.arithmetic},
                    {"inputs", given},
                    {"outputs", computed}});
}

}  // namespace octet
