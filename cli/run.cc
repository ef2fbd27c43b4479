// run.cc: octet run
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "octet/analyze/run_model.h"
#include "octet/base/fail.h"
#include "octet/data/image.h"
#include "octet/engine/engine.h"
#include "octet/program/lower.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet::cli {
namespace {

struct RunArguments {
  std::string model, output, json, policy = "exact", engine;
  InputOptions inputs;
  std::vector<std::string> dims;
  std::string arithmetic = std::string(named_arithmetics().front().name);
  int threads = 0;
  bool all = false;
};

void save(const NamedTensors& tensors, const std::string& file) {
  if (!file.ends_with(".npy")) return save_npz(tensors, file);
  if (tensors.size() != 1)
    fail(ErrorCode::kUsage, "{} can hold one array, there are {}: give an .npz archive", file, tensors.size());
  save_npy(tensors.begin()->second, file);
}

int run_run(const RunArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.inputs.file}, {"--data", options.inputs.samples.data}},
                {{"--output", options.output}, {"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const EngineOptions how{.arithmetic = arithmetic_named(options.arithmetic), .threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, how);
  Model model = load_model_named(options.model, options.dims);
  SampledInputs inputs = named_inputs_for(model, options.inputs);
  const auto engine = engine_of(options.model, named, lower(std::move(model), policy, how.arithmetic), how);
  const RunResult found = run_model(*engine, std::move(inputs.tensors), options.all, progress_line("steps"));
  if (!options.output.empty()) {
    NamedTensors saved = found.results;
    if (options.all) saved.insert(found.inputs.begin(), found.inputs.end());
    save(saved, options.output);
  }
  const bool are_images = options.inputs.samples.given() || is_image_name(options.inputs.file);
  const TopClasses top =
      are_images || !inputs.class_names.empty() ? top_classes(found, inputs.class_names) : TopClasses();
  if (options.json.empty())
    print(run_text(found, terminal_width()) + top_classes_text(top));
  else
    write_json(run_json(found,
                        {.model = options.model,
                         .policy = options.policy,
                         .engine = std::string(engine->name()),
                         .arithmetic = options.arithmetic},
                        top),
               options.json);
  return kFine;
}

std::string arithmetics() {
  std::string text = "Arithmetics of the quantized operators:";
  for (const NamedArithmetic& named : named_arithmetics())
    text += fmt::format("\n  {:<24}  {}", named.name, named.meaning);
  return text;
}

}  // namespace

Command run_command(Parser& parser) {
  CommandLine line = parser.command("run", "Compute a model's outputs, bit-true: those of its integer program");
  auto options = std::make_shared<RunArguments>();
  add_runnable_operand(line, options->model);
  add_input_options(line, options->inputs);
  add_dim_option(line, options->dims);
  line.option("-o,--output", options->output, "Write the outputs by name (.npz), or the only output (.npy)", "FILE")
      .ends_in({".npz", ".npy"});
  line.flag("--all", options->all, "Show and write every value of the program; write the inputs too");
  add_policy_option(line, options->policy);
  line.option("--arithmetic", options->arithmetic, "Arithmetic of the quantized operators, see below; else onnxruntime",
              "NAME");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet run model.onnx --input x.npz -o y.npz\n"
      "  octet run int8.onnx --input photo.jpg\n"
      "  octet run model.onnx --random 1 --dim N=1\n\n" +
      arithmetics());
  return {line,
          [options, line] {
            refuse_engine_options(line, {options->model});
            return run_run(*options);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
