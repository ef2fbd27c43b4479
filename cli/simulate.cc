// simulate.cc: octet simulate
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/hardware_options.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/simulate/damage_report.h"
#include "octet/system/atomic_file.h"

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

HardwareVariant unfused(const SimulateArguments& o, const Program& exact) {
  if (o.float_model.empty()) return {kUnfusedName, "give the float model with --float"};
  const Model model = load_model_named(o.float_model, o.dims);
  return unfused_variant(exact, model, *o.samples.open(model),
                         {.batch = o.samples.batch,
                          .engine = o.engine,
                          .threads = o.threads,
                          .progress = progress_line("measuring ranges")});
}

std::vector<HardwareVariant> variants_of(const SimulateArguments& o, const Program& exact) {
  const std::vector<HardwareAxis> axes = axes_of(o.hardware);
  const auto seed = static_cast<std::uint64_t>(o.hardware.seed);
  if (o.pitfalls) {
    if (!axes.empty()) fail(ErrorCode::kUsage, "--pitfalls runs the standard list; leave the other switches out");
    std::vector<HardwareVariant> variants = pitfall_variants(exact, seed);
    variants.push_back(unfused(o, exact));
    return variants;
  }
  if (axes.empty() && o.float_model.empty())
    fail(ErrorCode::kUsage, "say what the hardware does otherwise (octet simulate --help), or --pitfalls");
  if (axes.empty()) return {unfused(o, exact)};
  if (!o.float_model.empty())
    fail(ErrorCode::kUsage, "--float shows 8 bits between nodes, without other switches; leave them out");
  return hardware_variants(exact, axes, seed);
}

int run_simulate(SimulateArguments o) {
  check_outputs({{"model", o.model}, {"--float", o.float_model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data");
  if (!o.plot.empty() && !o.pitfalls) fail(ErrorCode::kUsage, "--plot draws the pitfalls; say --pitfalls too");
  engine_named(o.engine);
  const Model model = load_model_named(o.model, o.dims);
  o.samples.recorded = recorded_preprocessing(model);
  if (!o.plot.empty()) require_labels(o.samples, model, "--plot draws accuracy");
  const Program exact = lower(model, Policy::kExact);
  const std::vector<HardwareVariant> variants = variants_of(o, exact);
  note_overflow(o.hardware);
  const DamageReport report = simulate_hardware(
      exact, variants, *o.samples.open(model),
      {.batch = o.samples.batch, .engine = o.engine, .threads = o.threads, .progress = progress_line("simulating")});
  if (!o.plot.empty()) write_file(o.plot, damage_picture(report));
  if (o.json.empty())
    print(damage_text(report, exact, terminal_width(), !o.hardware.seeds.empty()));
  else
    write_json(damage_json(report, exact,
                           {.model = o.model, .engine = o.engine, .seed = o.hardware.seed, .seeds = o.hardware.seeds}),
               o.json);
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
  add_samples_options(line, o->samples, {.seed = "--sample-seed"});
  add_dim_option(line, o->dims);
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  line.option("--plot", o->plot, "Draw what the pitfalls cost (.svg)", "FILE").ends_in({".svg"});
  add_json_option(line, o->json);
  line.example(
      "  octet simulate resnet8_int8.onnx --pitfalls --data test_batch.bin --float resnet8.onnx\n"
      "  octet simulate resnet8_int8.onnx --accumulator 16,saturate --rounding floor --data test_batch.bin");
  return {line,
          [o, line] {
            refuse_unused(line, {{!o->pitfalls && !is_random(o->hardware), {"--seed", "--seeds"}, kNoLots},
                                 {o->pitfalls, {"--seeds"}, "--pitfalls draws each once, with --seed"}});
            return run_simulate(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
