#include "octet/analyze/run_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "octet/text/json.h"
#include "octet/text/json_finite.h"
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

Json top_json(const TopClasses& top) {
  Json samples = Json::array();
  for (const std::vector<TopClass>& row : top.samples) {
    Json classes = Json::array();
    for (const TopClass& found : row)
      classes.push_back({{"class", found.number},
                         {"name", found.name.empty() ? Json() : Json(found.name)},
                         {"score", json_finite(found.score)}});
    samples.push_back(std::move(classes));
  }
  return {{"output", top.output}, {"samples", samples}};
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

TopClasses top_classes(const RunResult& found, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const auto output = found.order.empty() ? found.results.end() : found.results.find(found.order.front());
  if (output == found.results.end()) return {};
  const Tensor& scores = output->second;
  const Shape& shape = scores.shape();
  if (shape.size() < 2 || shape[0] == 0 || !is_float(scores.dtype())) return {};
  const std::int64_t classes = scores.size() / shape[0];
  if (classes < 2 || *std::max_element(shape.begin() + 1, shape.end()) != classes) return {};
  TopClasses top{output->first, {}};
  for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
    std::vector<TopClass>& row = top.samples.emplace_back();
    for (std::int64_t c = 0; c < classes; ++c)
      row.push_back({c, std::ssize(names) == classes ? names[static_cast<std::size_t>(c)] : "",
                     scores.number_at(sample * classes + c)});
    std::ranges::stable_sort(row, std::ranges::greater(), &TopClass::score);
    row.resize(std::min(row.size(), kMost));
  }
  return top;
}

std::string top_classes_text(const TopClasses& top) {
  constexpr std::size_t kShown = 10;
  if (top.output.empty()) return "";
  std::string text = fmt::format("\ntop classes of {}:\n", top.output);
  for (std::size_t s = 0; s < std::min(top.samples.size(), kShown); ++s) {
    text += top.samples.size() > 1 ? fmt::format("  sample {}:", s) : " ";
    for (std::size_t k = 0; k < top.samples[s].size(); ++k) {
      const TopClass& found = top.samples[s][k];
      text += fmt::format("{}{}{}{} {:.4g}", k == 0 ? " " : ", ", found.number, found.name.empty() ? "" : " ",
                          found.name, found.score);
    }
    text += "\n";
  }
  if (top.samples.size() > kShown) text += fmt::format("  and {} more samples\n", top.samples.size() - kShown);
  return text;
}

std::string run_json(const RunResult& found, const RunSource& source, const TopClasses& top) {
  Json given = Json::array(), computed = Json::array();
  for (const auto& [name, tensor] : found.inputs) given.push_back(tensor_facts(name, tensor));
  for (const std::string& name : found.order)
    if (const auto result = found.results.find(name); result != found.results.end())
      computed.push_back(tensor_facts(name, result->second));
  Json json = {{"schema", "octet.run/1"}, {"octet", kVersion},       {"model", source.model},
               {"policy", source.policy}, {"engine", source.engine}, {"arithmetic", source.arithmetic},
               {"inputs", given},         {"outputs", computed}};
  if (!top.output.empty()) json["top_classes"] = top_json(top);
  return json_text(json);
}

}  // namespace octet
