#include "octet/tune/sensitivity_report.h"

#include <fmt/core.h>

#include "octet/evaluate/noise.h"
#include "octet/quantize/observe.h"
#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet {
namespace {

std::string accuracy_text(const Measured& measured) {
  return measured.score.samples() == 0 ? "" : fmt::format("{:.2f}", measured.score.accuracy());
}

std::string sensitivity_table(const char* title, const std::vector<LayerSensitivity>& layers, std::size_t width) {
  std::vector<Table::Column> columns = {{title, Table::Fit::kShorten, false, 16}, {"operator", Table::Fit::kShorten}};
  for (const char* figure : {"alone dB", "noise", "spared dB", "alone %", "spared %"})
    columns.push_back({figure, Table::Fit::kWhole, true});
  Table table(columns);
  for (const LayerSensitivity& layer : layers)
    table.add({layer.layer.name, layer.layer.op_type == layer.layer.name ? "" : layer.layer.op_type,
               decibels(layer.alone.sqnr), percent(layer.share), layer.spared ? decibels(layer.spared->sqnr) : "",
               accuracy_text(layer.alone), layer.spared ? accuracy_text(*layer.spared) : ""});
  return table.text(width);
}

// The signal to noise ratio, and where there are labels what is right, beside the float model.
Json measured_json(const Measured& measured, const Baseline& baseline) {
  Json json = {{"sqnr", json_finite(measured.sqnr)}};
  if (baseline.labelled()) {
    const Agreement agreement = compare(baseline.score(), measured.score);
    json["right"] = measured.score.top1();
    json["only_float_right"] = agreement.only_first_right;
    json["only_this_right"] = agreement.only_second_right;
    json["p_value"] = json_finite(agreement.p_value);
  }
  return json;
}

Json layers_json(const std::vector<LayerSensitivity>& layers, const Baseline& baseline) {
  Json list = Json::array();
  for (const LayerSensitivity& layer : layers) {
    Json nodes = Json::array();
    for (const NodeDecision& node : layer.layer.nodes) nodes.push_back(node.name);
    list.push_back({{"name", layer.layer.name},
                    {"op_type", layer.layer.op_type},
                    {"step", layer.layer.tensor.empty() ? Json() : Json(layer.layer.name)},
                    {"nodes", nodes},
                    {"tensor", layer.layer.tensor.empty() ? Json() : Json(layer.layer.tensor)},
                    {"share", json_finite(layer.share)},
                    {"alone", measured_json(layer.alone, baseline)},
                    {"spared", layer.spared ? measured_json(*layer.spared, baseline) : Json()}});
  }
  return list;
}

}  // namespace

FoundSensitivity find_sensitivity(const Trials& trials, const FindSensitivityOptions& options) {
  const Ranges ranges = observed_ranges(
      trials.model, {.method = options.calibration, .encoding = options.quantization.activation_encoding()},
      trials.runs, options.calibration_progress);
  FoundSensitivity found{.measured = measure_sensitivity(trials.model, ranges, *trials.baseline,
                                                         {.quantization = options.quantization,
                                                          .engine = trials.runs.engine,
                                                          .threads = trials.runs.threads,
                                                          .progress = options.progress}),
                         .calibration = options.calibration};
  if (!options.keep) return found;
  found.kept_wide = options.keep->wide;
  found.kept = worst_layers(found.measured, options.keep->count);
  found.decisions =
      found.kept_wide ? wide_decisions(found.kept, options.quantization.activations) : float_decisions(found.kept);
  return found;
}

std::string sensitivity_text(const FoundSensitivity& found, const Baseline& baseline, std::size_t width) {
  std::string text = sensitivity_table("layer", found.measured.layers, width);
  if (found.measured.kinds.size() > 1) text += "\n" + sensitivity_table("kind", found.measured.kinds, width);
  text += fmt::format("\nall quantized: {} dB at the outputs of {}", decibels(found.measured.all.sqnr),
                      counted(baseline.samples(), "sample"));
  if (baseline.labelled())
    text += fmt::format("; {:.2f} % right, float {:.2f} %", found.measured.all.score.accuracy(),
                        baseline.score().accuracy());
  return text + "\n";
}

std::string sensitivity_json(const FoundSensitivity& found, const Trials& trials, const std::string& model) {
  const Baseline& baseline = *trials.baseline;
  Json names = Json::array();
  for (const Layer& layer : found.kept) names.push_back(layer.name);
  return json_text({{"schema", "octet.sensitivity/1"},
                    {"octet", kVersion},
                    {"model", model},
                    {"engine", trials.runs.engine},
                    {"calibration", name(found.calibration)},
                    {"samples", baseline.samples()},
                    {"float_right", baseline.labelled() ? Json(baseline.score().top1()) : Json()},
                    {"all", measured_json(found.measured.all, baseline)},
                    {"layers", layers_json(found.measured.layers, baseline)},
                    {"kinds", layers_json(found.measured.kinds, baseline)},
                    {"kept_wide", found.kept_wide ? names : Json::array()},
                    {"kept_float", found.kept_wide ? Json::array() : names}});
}

std::string sensitivity_picture(const FoundSensitivity& found, const Baseline& baseline) {
  RowChart chart{
      fmt::format("Noise at the outputs by layer, {}", counted(baseline.samples(), "sample")), "% of all noise", {}};
  for (const LayerSensitivity& layer : found.measured.layers)
    chart.rows.push_back({layer.layer.name, 100 * layer.share, decibels(layer.alone.sqnr) + " dB alone"});
  return chart.svg();
}

}  // namespace octet
