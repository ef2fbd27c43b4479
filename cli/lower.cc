// lower.cc: octet lower
#include "octet/program/lower.h"

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/analyze/kernels_text.h"
#include "octet/engine/engine.h"
#include "octet/onnx/model_file.h"
#include "octet/program/memory_plan.h"
#include "octet/program/program_json.h"
#include "octet/program/program_text.h"

namespace octet::cli {
namespace {

struct LowerArguments {
  std::string model, output, json, policy = "exact", engine;
  std::vector<std::string> dims;
  bool unsigned_weights = false;
};

int run_lower(const LowerArguments& options) {
  check_outputs({{"model", options.model}}, {{"--output", options.output}, {"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  if (!options.engine.empty()) engine_named(options.engine);
  Model model = load_model_named(options.model, options.dims);
  const Metadata metadata = model.metadata;
  const Program program = lower(std::move(model), policy);
  if (!options.output.empty()) {
    Model written = to_model(program, {options.unsigned_weights});
    written.metadata = metadata;
    save_model_named(written, options.output);
  }
  if (!options.json.empty())
    write_json(program_json(program, plan_memory(program), options.model), options.json);
  else if (options.output != "-")
    print(program_text(program, plan_memory(program), terminal_width()));
  if (!options.engine.empty()) print(kernels_text(*make_engine(options.engine, program), terminal_width()));
  return kFine;
}

}  // namespace

Command lower_command(Parser& parser) {
  CommandLine line = parser.command("lower", "Show the integer program that an 8-bit model means, and write it");
  auto options = std::make_shared<LowerArguments>();
  add_model_operand(line, options->model);
  line.option("-o,--output", options->output,
              "Write the program as a file of integer operators (.onnx); - is standard output", "FILE")
      .ends_in({".onnx", "-"});
  line.flag("--unsigned-weights", options->unsigned_weights,
            "Write int8 weights that meet uint8 activations as uint8: the same results, and exact on x86 without VNNI");
  line.option("--policy", options->policy,
              "exact (as much integer as is exact; else), onnxruntime (what it fuses on x86), as-written", "NAME");
  line.option("--engine", options->engine, "Also show what this engine computes each step with, on this machine",
              "NAME");
  add_dim_option(line, options->dims);
  add_json_option(line, options->json);
  line.example(
      "  octet lower model_qdq.onnx\n"
      "  octet lower model_qdq.onnx -o model_int.onnx --json program.json");
  return {line, [options, line] {
            refuse_unused(
                line, {{options->output.empty(), {"--unsigned-weights"}, "it is about the file that --output names"},
                       {!options->json.empty() || options->output == "-", {"--engine"}, "no table is printed"}});
            return run_lower(*options);
          }};
}

}  // namespace octet::cli
