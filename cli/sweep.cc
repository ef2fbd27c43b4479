// sweep.cc: octet sweep
#include "octet/simulate/sweep.h"

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
#include "octet/system/atomic_file.h"

namespace octet::cli {
namespace {

struct SweepArguments {
  std::string model, output, plot, json, engine = kDefaultEngine;
  int threads = 0;
  HardwareOptions hardware;
  SamplesOptions samples;
  std::vector<std::string> dims;
};

int run_sweep(const SweepArguments& o) {
  check_outputs({{"model", o.model}, {"--data", o.samples.data}},
                {{"--output", o.output}, {"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data");
  engine_named(o.engine);
  const std::vector<HardwareAxis> axes = axes_of(o.hardware);
  if (axes.empty()) fail(ErrorCode::kUsage, "say what to sweep, such as --accumulator 12..32 (octet sweep --help)");
  if (!o.plot.empty()) plotted_axis(axes);
  const auto seed = static_cast<std::uint64_t>(o.hardware.seed);
  settings_of(axes, seed);
  const Model model = load_model_named(o.model, o.dims);
  if (!o.plot.empty()) require_labels(o.samples, model, "--plot draws accuracy");
  const Program exact = lower(model, Policy::kExact);
  note_overflow(o.hardware);
  const Sweep found = sweep(
      exact, axes, seed, *o.samples.open(model),
      {.batch = o.samples.batch, .engine = o.engine, .threads = o.threads, .progress = progress_line("simulating")});
  if (!o.plot.empty()) write_file(o.plot, sweep_picture(found));
  if (!o.json.empty())
    write_json(sweep_json(found, exact, {.model = o.model, .engine = o.engine, .seed = o.hardware.seed}), o.json);
  const std::string table = sweep_csv(found, exact);
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
  add_samples_options(line, o->samples, {.seed = "--sample-seed"});
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
  return {line,
          [o, line] {
            refuse_unused(line, {{!is_random(o->hardware), {"--seed", "--seeds"}, kNoLots}});
            return run_sweep(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
