// bounds.cc: octet bounds
#include <optional>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/analyze/bounds_csv.h"
#include "octet/analyze/bounds_report.h"
#include "octet/program/lower.h"
#include "octet/spec/rounding_named.h"
#include "octet/system/atomic_file.h"

namespace octet::cli {
namespace {

struct BoundsArguments {
  std::string model, json, plot, table, rounding = "ties-even", policy = "exact", engine = kDefaultEngine;
  std::vector<std::string> dims;
  SamplesOptions samples;
  int threads = 0;
  std::optional<int> max_bits;
};

int run_bounds(const BoundsArguments& options) {
  check_outputs({{"model", options.model}, {"--data", options.samples.data}},
                {{"--plot", options.plot}, {"--table", options.table}, {"--json", options.json}});
  const Rounding rounding = rounding_named(options.rounding);
  const NamedEngine& named = engine_named(options.engine);
  const Model model = load_model_named(options.model, options.dims);
  const auto engine = make_engine(named, lower(model, policy_named(options.policy)), {.threads = options.threads});
  const Program& program = engine->program();
  const ProvenBounds found =
      prove_bounds(*engine, {.rounding = rounding,
                             .max_bits = options.max_bits,
                             .batches = options.samples.given() ? options.samples.batches(model) : InputBatches(),
                             .needs_sums = !options.plot.empty(),
                             .name = options.model,
                             .progress = progress_line("steps"),
                             .sample_progress = progress_line("samples")});
  if (!options.plot.empty()) write_file(options.plot, bounds_picture(found, program));
  if (!options.table.empty()) write_file(options.table, bounds_csv(program, found.steps, found.combining));
  if (options.json.empty())
    print(bounds_text(found, program, terminal_width()));
  else
    write_json(bounds_json(found, program, options.model), options.json);
  return found.passed() ? kFine : kDiffers;
}

}  // namespace

Command bounds_command(Parser& parser) {
  CommandLine line = parser.command("bounds", "Prove how wide accumulators and multipliers must be, step by step");
  auto options = std::make_shared<BoundsArguments>();
  add_model_operand(line, options->model);
  line.option("--rounding", options->rounding,
              "Of the fixed-point requantization: ties-even (default), ties-away, ties-up, toward-zero, floor", "RULE");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  add_policy_option(line, options->policy);
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  line.option("--plot", options->plot, "Draw the widths (.svg)", "FILE").ends_in({".svg"});
  line.option("--table", options->table, "Write the constants in integers, channel by channel (.csv)", "FILE")
      .ends_in({".csv"});
  line.option("--max-bits", options->max_bits, "Exit code 1 when an accumulator needs more", "N").within(1, 64);
  add_json_option(line, options->json);
  line.example(
      "  octet bounds resnet8_int8.onnx --max-bits 24\n"
      "  octet bounds resnet8_int8.onnx --table constants.csv\n"
      "  octet bounds resnet8_int8.onnx --data test_batch.bin --plot widths.svg");
  return {
      line,
      [options, line] {
        refuse_unused(line, {{!options->samples.given(), {"--engine"}, "it runs the program on what --data gives"}});
        return run_bounds(*options);
      },
      Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
