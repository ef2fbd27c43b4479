// sweep.cc: octet sweep
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/damage_report.h"
#include "cli/dimensions.h"
#include "cli/hardware_options.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/system/atomic_file.h"
#include "octet/text/line_chart.h"
#include "octet/text/numbers.h"

namespace octet::cli {
namespace {

struct SweepArguments {
  std::string model, output, plot, json, engine = kDefaultEngine;
  int threads = 0;
  HardwareOptions hardware;
  SamplesOptions samples;
  std::vector<std::string> dims;
};

// Axes with more than one value are what is swept.
bool is_swept(const Axis& axis) { return axis.choices.size() > 1; }

// Text as CSV has it: in quotes where it must, quotes twice.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv(const std::vector<Axis>& axes, const std::vector<Setting>& settings, const Simulated& simulated,
                const Program& exact) {
  std::string text;
  for (const Axis& axis : axes) text += axis.name + ",";
  text += simulated.labelled ? "samples,right,accuracy,change,only_exact_right,only_this_right,p_value," : "samples,";
  text += "same_prediction,elements,differing,largest,first_step\n";
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const Damage& d = simulated.damages[s];
    const Agreement a = compare(simulated.exact, d.score);
    for (const Choice* choice : settings[s].choices) text += cell(choice->text) + ",";
    text += fmt::format("{},", d.score.samples());
    if (simulated.labelled)
      text += fmt::format("{},{:.4f},{:.4f},{},{},{:.6g},", d.score.top1(), d.score.accuracy(), change(simulated, d),
                          a.only_first_right, a.only_second_right, a.p_value);
    text += fmt::format("{},{},{},{},{}\n", a.same_prediction, d.elements, d.differing, d.largest,
                        d.first_step ? cell(exact.steps[*d.first_step].name) : "");
  }
  return text;
}

Json axis_json(const Axis& axis) {
  Json choices = Json::array();
  for (const Choice& choice : axis.choices)
    choices.push_back({{"text", choice.text}, {"number", choice.number ? json_number(*choice.number) : Json()}});
  return {{"name", axis.name}, {"unit", axis.unit.empty() ? Json() : Json(axis.unit)}, {"choices", choices}};
}

Json sweep_facts(const SweepArguments& o, const std::vector<Axis>& axes, const std::vector<Setting>& settings,
                 const Simulated& simulated, const Program& exact) {
  Json json = simulated_json("octet.sweep/1", o.model, o.engine, o.hardware.seed, simulated);
  json["axes"] = Json::array();
  for (const Axis& axis : axes) json["axes"].push_back(axis_json(axis));
  json["rows"] = Json::array();
  for (std::size_t s = 0; s < settings.size(); ++s) {
    Json row = damage_json(simulated, exact, {name_of(settings[s], axes), &simulated.damages[s], ""});
    row["setting"] = Json::object();
    for (std::size_t a = 0; a < axes.size(); ++a) row["setting"][axes[a].name] = settings[s].choices[a]->text;
    json["rows"].push_back(std::move(row));
  }
  return json;
}

// The first swept axis of numbers.
std::size_t plotted_axis(const std::vector<Axis>& axes) {
  const auto numeric = [](const Axis& axis) {
    return is_swept(axis) && std::ranges::any_of(axis.choices, [](const Choice& c) { return c.number.has_value(); });
  };
  const auto found = std::ranges::find_if(axes, numeric);
  if (found == axes.end()) fail(ErrorCode::kUsage, "--plot needs an option with several numbers, such as 12..32");
  return static_cast<std::size_t>(found - axes.begin());
}

// Accuracy over axis `x`, a line for every combination of the others.
std::string sweep_picture(const std::vector<Axis>& axes, std::size_t x, const std::vector<Setting>& settings,
                          const Simulated& simulated) {
  LineChart chart{fmt::format("Accuracy on {} samples; {:.2f} % is exact", grouped(simulated.exact.samples()),
                              simulated.exact.accuracy()),
                  axes[x].unit.empty() ? axes[x].name : axes[x].name + ", " + axes[x].unit,
                  "%",
                  {}};
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const std::optional<double> number = settings[s].choices[x]->number;
    if (!number) continue;
    std::string name;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (a != x && (is_swept(axes[a]) || axes[a].name == "overflow"))
        name += fmt::format("{}{}{}", name.empty() ? "" : ", ", axes[a].choices[0].number ? axes[a].name + " " : "",
                            settings[s].choices[a]->text);
    const auto found = std::ranges::find(chart.series, name, &LineChart::Series::name);
    LineChart::Series& series =
        found != chart.series.end() ? *found : chart.series.emplace_back(LineChart::Series{name, {}});
    series.points.emplace_back(*number, simulated.damages[s].score.accuracy());
  }
  for (LineChart::Series& series : chart.series) std::ranges::sort(series.points);
  return chart.svg();
}

int run_sweep(const SweepArguments& o) {
  check_outputs({{"model", o.model}, {"--data", o.samples.data}},
                {{"--output", o.output}, {"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data");
  engine_named(o.engine);
  const std::vector<Axis> axes = axes_of(o.hardware);
  if (axes.empty()) fail(ErrorCode::kUsage, "say what to sweep, such as --accumulator 12..32 (octet sweep --help)");
  const std::size_t x = o.plot.empty() ? 0 : plotted_axis(axes);
  const std::vector<Setting> settings = settings_of(axes, o.hardware.seed);
  const Model model = load_model_named(o.model, o.dims);
  if (!o.plot.empty()) require_labels(o.samples, model, "--plot draws accuracy");
  const Program exact = lower(model, Policy::kExact);
  std::vector<Variant> variants;
  for (const Setting& setting : settings)
    variants.push_back({on_hardware(exact, setting.hardware), setting.hardware.arithmetic});
  const Simulated simulated = simulate(
      exact, variants, *o.samples.open(model),
      {.batch = o.samples.batch, .engine = o.engine, .threads = o.threads, .progress = progress_line("simulating")});
  if (!o.plot.empty()) write_file(o.plot, sweep_picture(axes, x, settings, simulated));
  if (!o.json.empty()) write_json(json_text(sweep_facts(o, axes, settings, simulated, exact)), o.json);
  const std::string table = csv(axes, settings, simulated, exact);
  if (o.output == "-" || (o.output.empty() && o.json.empty()))
    print_data(table);
  else if (!o.output.empty())
    write_file(o.output, table);
  return kFine;
}

}  // namespace

Command sweep_command(Parser& parser) {
  CommandLine line = parser.command("sweep", "Accuracy over accumulator width, multiplier bits, ADC bits and more");
  auto o = std::make_shared<SweepArguments>();
  add_model_operand(line, o->model);
  add_hardware_options(line, o->hardware);
  add_samples_options(line, o->samples);
  add_dim_option(line, o->dims);
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  line.option("-o,--output", o->output, "Write the table (.csv); else it goes to standard output", "FILE")
      .ends_in({".csv", "-"});
  line.option("--plot", o->plot, "Draw accuracy over the first option with several numbers (.svg)", "FILE")
      .ends_in({".svg"});
  add_json_option(line, o->json);
  line.example(
      "  octet sweep resnet8_int8.onnx --accumulator 12..32,wrap,saturate --data test_batch.bin --plot w.svg\n"
      "  octet sweep resnet8_int8.onnx --tile-rows 128 --adc-bits 4..10 --adc-range 1,0.25 --data test_batch.bin");
  return {line, [o, line] {
            refuse_unused(line, {{!draws_lots(o->hardware), {"--seed"}, kNoLots}});
            return run_sweep(*o);
          }};
}

}  // namespace octet::cli
