// simulate.cc: octet simulate
#include "octet/simulate/simulate.h"

#include <fmt/core.h>

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
#include "octet/simulate/pitfalls.h"
#include "octet/simulate/unfused.h"
#include "octet/system/atomic_file.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"

namespace octet::cli {
namespace {

struct SimulateArguments {
  std::string model, float_model, plot, json, engine = kDefaultEngine;
  bool pitfalls = false;
  int threads = 0;
  HardwareOptions hardware;
  SamplesOptions samples;
  std::vector<std::string> dims;
};

// What is to be run, and the row of the table it fills; a row without a variant has a note.
struct Job {
  std::string name, note;
  std::optional<Variant> variant;
};

bool has_per_channel_weights(const Program& program) {
  for (const Step& step : program.steps)
    if (const work::Sum* sum = sum_of(step.work))
      if (sum->w_scales.size() > 1) return true;
  return false;
}

Job unfused_job(const SimulateArguments& o, const Program& exact) {
  Job job{"8 bits between Conv, BatchNormalization and Relu", "", std::nullopt};
  if (o.float_model.empty()) {
    job.note = "give the float model with --float";
    return job;
  }
  const Model model = load_model_named(o.float_model, o.dims);
  const auto samples = o.samples.open(model);
  const UnfusedOptions options{.per_channel = has_per_channel_weights(exact),
                               .batch = o.samples.batch,
                               .engine = o.engine,
                               .threads = o.threads,
                               .progress = progress_line("measuring ranges")};
  job.variant = Variant{lower(unfused_model(model, *samples, options), Policy::kAsWritten), {}};
  return job;
}

std::vector<Job> pitfall_jobs(const SimulateArguments& o, const Program& exact) {
  std::vector<Job> jobs;
  for (const Pitfall& pitfall : standard_pitfalls(static_cast<std::uint64_t>(o.hardware.seed))) {
    Job job{pitfall.name, "", std::nullopt};
    try {
      job.variant = Variant{on_hardware(exact, pitfall.hardware), pitfall.hardware.arithmetic};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUsage) throw;
      job.note = error.message();
    }
    jobs.push_back(std::move(job));
  }
  jobs.push_back(unfused_job(o, exact));
  return jobs;
}

Job named_job(const SimulateArguments& o, const Program& exact) {
  const std::vector<Axis> axes = axes_of(o.hardware);
  if (axes.empty() && o.float_model.empty())
    fail(ErrorCode::kUsage, "say what the hardware does otherwise (octet simulate --help), or --pitfalls");
  if (axes.empty()) return unfused_job(o, exact);
  if (!o.float_model.empty())
    fail(ErrorCode::kUsage, "--float shows 8 bits between nodes, without other switches; leave them out");
  const std::vector<Setting> settings = settings_of(axes, o.hardware.seed);
  if (settings.size() > 1)
    fail(ErrorCode::kUsage, "{} combinations of values, wanted one; octet sweep takes lists", settings.size());
  const Hardware& hardware = settings[0].hardware;
  return {name_of(settings[0], axes), "", Variant{on_hardware(exact, hardware), hardware.arithmetic}};
}

std::string simulate_picture(const Simulated& simulated, const std::vector<DamageRow>& rows) {
  RowChart chart{fmt::format("What each mistake costs, in points of {:.2f} % on {} samples", simulated.exact.accuracy(),
                             grouped(simulated.exact.samples())),
                 "points",
                 {}};
  for (const DamageRow& row : rows) {
    if (!row.damage) {
      chart.rows.push_back({row.name, std::nullopt, "does not apply"});
      continue;
    }
    const double points = change(simulated, *row.damage);
    chart.rows.push_back({row.name, std::max(0.0, -points), fmt::format("{:+.2f}", points)});
  }
  return chart.svg();
}

int run_simulate(const SimulateArguments& o) {
  check_outputs({{"model", o.model}, {"--float", o.float_model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data");
  if (!o.plot.empty() && !o.pitfalls) fail(ErrorCode::kUsage, "--plot draws the pitfalls; say --pitfalls too");
  engine_named(o.engine);
  const Model model = load_model_named(o.model, o.dims);
  if (!o.plot.empty()) require_labels(o.samples, model, "--plot draws accuracy");
  const Program exact = lower(model, Policy::kExact);
  std::vector<Job> jobs;
  if (o.pitfalls) {
    if (!axes_of(o.hardware).empty())
      fail(ErrorCode::kUsage, "--pitfalls runs the standard list; leave the other switches out");
    on_hardware(exact, {});
    jobs = pitfall_jobs(o, exact);
  } else {
    jobs.push_back(named_job(o, exact));
  }
  std::vector<Variant> variants;
  for (Job& job : jobs)
    if (job.variant) variants.push_back(std::move(*job.variant));
  const Simulated simulated = simulate(
      exact, variants, *o.samples.open(model),
      {.batch = o.samples.batch, .engine = o.engine, .threads = o.threads, .progress = progress_line("simulating")});
  std::vector<DamageRow> rows;
  std::size_t next = 0;
  for (const Job& job : jobs) rows.push_back({job.name, job.variant ? &simulated.damages[next++] : nullptr, job.note});
  if (!o.plot.empty()) write_file(o.plot, simulate_picture(simulated, rows));
  if (o.json.empty()) {
    const std::string exact_line =
        simulated.labelled ? fmt::format("exact: {} of {} right, {:.2f} %\n\n", grouped(simulated.exact.top1()),
                                         grouped(simulated.exact.samples()), simulated.exact.accuracy())
                           : fmt::format("{}, without labels\n\n", counted(simulated.exact.samples(), "sample"));
    print(exact_line + damage_table(simulated, exact, rows));
    return kFine;
  }
  Json list = Json::array();
  for (const DamageRow& row : rows) list.push_back(damage_json(simulated, exact, row));
  Json json = simulated_json("octet.simulate/1", o.model, o.engine, o.hardware.seed, simulated);
  json["rows"] = list;
  write_json(json_text(json), o.json);
  return kFine;
}

}  // namespace

Command simulate_command(Parser& parser) {
  CommandLine line = parser.command("simulate", "Measure what other hardware, or a mistake, makes of a network");
  auto o = std::make_shared<SimulateArguments>();
  add_model_operand(line, o->model);
  line.flag("--pitfalls", o->pitfalls, "The standard list of mistakes, one row each");
  add_hardware_options(line, o->hardware);
  line.option("--float", o->float_model, "The float model, for 8 bits between Conv, BatchNormalization and Relu",
              "MODEL");
  add_samples_options(line, o->samples);
  add_dim_option(line, o->dims);
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  line.option("--plot", o->plot, "Draw what the pitfalls cost (.svg)", "FILE").ends_in({".svg"});
  add_json_option(line, o->json);
  line.example(
      "  octet simulate resnet8_int8.onnx --pitfalls --data test_batch.bin --float resnet8.onnx\n"
      "  octet simulate resnet8_int8.onnx --accumulator 16,saturate --rounding floor --data test_batch.bin");
  return {line, [o, line] {
            refuse_unused(line, {{!o->pitfalls && !draws_lots(o->hardware), {"--seed"}, kNoLots}});
            return run_simulate(*o);
          }};
}

}  // namespace octet::cli
