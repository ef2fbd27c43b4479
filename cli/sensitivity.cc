// sensitivity.cc: octet sensitivity
#include "octet/tune/sensitivity.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/quantization.h"
#include "cli/samples_options.h"
#include "cli/scheme_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/evaluate/noise.h"
#include "octet/quantize/observe.h"
#include "octet/system/atomic_file.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct SensitivityArguments {
  std::string model, calibration = "minmax", plot, save_rules, keep_as = "float", json, engine = kDefaultEngine;
  SamplesOptions samples;
  SchemeOptions scheme;
  std::optional<int> keep;
  int threads = 0;
};

bool keeps_wide(const SensitivityArguments& o) { return o.keep_as == "16-bit"; }

std::string accuracy_text(const Measured& measured) {
  return measured.score.samples() == 0 ? "" : fmt::format("{:.2f}", measured.score.accuracy());
}

std::string sensitivity_table(const char* title, const std::vector<LayerSensitivity>& layers) {
  std::vector<Table::Column> columns = {{title, Table::Fit::kShorten, false, 16}, {"operator", Table::Fit::kShorten}};
  for (const char* figure : {"alone dB", "noise", "spared dB", "alone %", "spared %"})
    columns.push_back({figure, Table::Fit::kWhole, true});
  Table table(columns);
  for (const LayerSensitivity& layer : layers)
    table.add({layer.layer.name, layer.layer.op_type == layer.layer.name ? "" : layer.layer.op_type,
               decibels(layer.alone.sqnr), octet::percent(layer.share),
               layer.spared ? decibels(layer.spared->sqnr) : "", accuracy_text(layer.alone),
               layer.spared ? accuracy_text(*layer.spared) : ""});
  return table.text(terminal_width());
}

std::string sensitivity_text(const Sensitivity& found, const Baseline& baseline) {
  std::string text = sensitivity_table("layer", found.layers);
  if (found.kinds.size() > 1) text += "\n" + sensitivity_table("kind", found.kinds);
  text += fmt::format("\nall quantized: {} dB at the outputs of {}", decibels(found.all.sqnr),
                      counted(baseline.samples(), "sample"));
  if (baseline.labelled())
    text += fmt::format("; {:.2f} % right, float {:.2f} %", found.all.score.accuracy(), baseline.score().accuracy());
  return text + "\n";
}

Json layers_json(const std::vector<LayerSensitivity>& layers, const Baseline& baseline) {
  Json list = Json::array();
  for (const LayerSensitivity& layer : layers) {
    Json nodes = Json::array();
    for (const NodeDecision& node : layer.layer.nodes) nodes.push_back(node.name);
    list.push_back({{"name", layer.layer.name},
                    {"op_type", layer.layer.op_type},
                    {"nodes", nodes},
                    {"share", json_number(layer.share)},
                    {"alone", measured_json(layer.alone, baseline)},
                    {"spared", layer.spared ? measured_json(*layer.spared, baseline) : Json()}});
  }
  return list;
}

Json sensitivity_facts(const Sensitivity& found, const Baseline& baseline, const std::vector<Layer>& kept,
                       const SensitivityArguments& o) {
  Json names = Json::array();
  for (const Layer& layer : kept) names.push_back(layer.name);
  return {{"schema", "octet.sensitivity/1"},
          {"octet", kVersion},
          {"model", o.model},
          {"engine", o.engine},
          {"calibration", o.calibration},
          {"samples", baseline.samples()},
          {"float_right", baseline.labelled() ? Json(baseline.score().top1()) : Json()},
          {"all", measured_json(found.all, baseline)},
          {"layers", layers_json(found.layers, baseline)},
          {"kinds", layers_json(found.kinds, baseline)},
          {"kept_wide", keeps_wide(o) ? names : Json::array()},
          {"kept_float", keeps_wide(o) ? Json::array() : names}};
}

std::string sensitivity_picture(const Sensitivity& found, const Baseline& baseline) {
  RowChart chart{
      fmt::format("Noise at the outputs by layer, {}", counted(baseline.samples(), "sample")), "% of all noise", {}};
  for (const LayerSensitivity& layer : found.layers)
    chart.rows.push_back({layer.layer.name, 100 * layer.share, decibels(layer.alone.sqnr) + " dB alone"});
  return chart.svg();
}

std::string kept_text(const std::vector<Layer>& kept, const SensitivityArguments& o) {
  std::string names;
  for (const Layer& layer : kept) names += (names.empty() ? "" : ", ") + layer.name;
  if (keeps_wide(o)) return fmt::format("{}: 16-bit activations for {}\n", o.save_rules, names);
  return fmt::format("{}: {} {} float\n", o.save_rules, names, kept.size() == 1 ? "stays" : "stay");
}

int run_sensitivity(const SensitivityArguments& o) {
  check_outputs({{"model", o.model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--save-rules", o.save_rules}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data; labels are not needed");
  engine_named(o.engine);
  const Trials trials = trials_of(o.model, o.samples, {o.engine, o.threads});
  const Ranges ranges = observed_ranges(
      trials.model,
      {.method = calibration_named(o.calibration), .encoding = static_options(o.scheme).activation_encoding()},
      trials.runs, progress_line("calibrating"));
  const Sensitivity found = measure_sensitivity(trials.model, ranges, *trials.baseline,
                                                {.quantization = static_options(o.scheme),
                                                 .engine = o.engine,
                                                 .threads = o.threads,
                                                 .progress = progress_line("quantizing layer by layer")});
  const std::vector<Layer> kept = o.save_rules.empty() ? std::vector<Layer>() : worst_layers(found, o.keep);
  if (!o.plot.empty()) write_file(o.plot, sensitivity_picture(found, *trials.baseline));
  if (!o.save_rules.empty())
    write_file(o.save_rules, rules_text(keeps_wide(o) ? wide_decisions(kept, static_options(o.scheme).activations)
                                                      : float_decisions(kept)));
  if (!o.json.empty())
    write_json(json_text(sensitivity_facts(found, *trials.baseline, kept, o)), o.json);
  else
    print(sensitivity_text(found, *trials.baseline) + (kept.empty() ? "" : kept_text(kept, o)));
  return kFine;
}

}  // namespace

Command sensitivity_command(Parser& parser) {
  CommandLine line =
      parser.command("sensitivity", "Find the layers that 8 bits hurt: each alone quantized, each alone spared");
  auto o = std::make_shared<SensitivityArguments>();
  add_model_operand(line, o->model);
  add_samples_options(line, o->samples);
  add_calibration_option(line, o->calibration);
  add_scheme_options(line, o->scheme);
  line.option("--save-rules", o->save_rules, "Rules for octet quantize that spare the worst layers", "FILE");
  line.option("--keep", o->keep, "So many of them; else as many as make half of the noise", "N").within(1, 1000000);
  line.option("--keep-as", o->keep_as, "What becomes of them: float, or 8 bits with 16-bit activations", "NAME")
      .one_of({"float", "16-bit"})
      .shows_default();
  line.option("--plot", o->plot, "Draw the layers' shares of the noise (.svg)", "FILE").ends_in({".svg"});
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  add_json_option(line, o->json);
  line.example("  octet sensitivity model.onnx --data photos.npz --save-rules rules.json");
  return {line, [o, line] {
            refuse_unused(line, {{o->save_rules.empty(), {"--keep", "--keep-as"}, "it is about --save-rules"}});
            return run_sensitivity(*o);
          }};
}

}  // namespace octet::cli
