// verify.cc: octet verify
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/counted_heap.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/python_option.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/base/memory_budget.h"
#include "octet/data/model_inputs.h"
#include "octet/graph/default_dimensions.h"
#include "octet/program/lower.h"
#include "octet/verify/verify_model.h"
#include "octet/verify/verify_report.h"

namespace octet::cli {
namespace {

struct VerifyArguments {
  std::string model, against, input, json, policy = "exact", engine = kDefaultEngine, python, save_graph, memory,
                                           run = "both";
  std::vector<std::string> dims;
  SamplesOptions samples;
  std::uint64_t seed = 1;
  int limit = 600;
  int threads = 0;
  bool all = false;
};

// The batches of --data, or the one of --input or made-up inputs. Files are opened when the first batch is asked for.
VerifyBatches batches_of(const Model& model, const VerifyArguments& options) {
  if (options.samples.given()) return options.samples.batches(model);
  return [&, asked = false]() mutable -> std::optional<VerifyBatch> {
    if (std::exchange(asked, true)) return std::nullopt;
    NamedTensors inputs;
    std::vector<std::string> ignored;
    if (!options.input.empty())
      inputs = read_inputs(model, options.input, ignored);
    else
      add_random_inputs(with_symbols_as_one(model), options.seed, inputs);
    require_all_inputs(model, inputs, options.input);
    return VerifyBatch{.inputs = std::move(inputs), .samples = 1, .total = 1};
  };
}

VerifyOptions verify_options(const VerifyArguments& options, std::uint64_t memory, const Program& program) {
  VerifyOptions how{.form = judged_form_named(options.run),
                    .save_graph = options.save_graph,
                    .limit = std::chrono::seconds(options.limit),
                    .memory = memory,
                    .width = terminal_width(),
                    .progress = progress_line("steps")};
  const bool compiled = is_compiled(options.model);
  if (compiled)
    how.rival = {"the library, beside Octet's engine, to the last bit", options.model,
                 library_engine(options.model, program)};
  if (options.against.empty())
    how.python = python_or_default(options.python);
  else
    how.against = {options.against, options.model == "-" || compiled ? "" : options.model};
  return how;
}

int run_verify(const VerifyArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.input}, {"--data", options.samples.data}},
                {{"--save-graph", options.save_graph}, {"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const NamedEngine& named = engine_named(options.engine);
  judged_form_named(options.run);  // before anything is read
  if (options.limit < 1) fail(ErrorCode::kUsage, "--time-limit wants a number of seconds, and not {}", options.limit);
  give_freed_memory_back();
  const std::uint64_t memory = memory_limit(options.memory, 4);
  const MemoryBudget budget(static_cast<std::int64_t>(std::min<std::uint64_t>(memory, INT64_MAX)),
                            MemoryBudget::Around::kReplaced);
  const Model model = load_model_named(options.model, options.dims);
  const auto engine = make_engine(named, lower(model, policy), {.threads = options.threads});
  const VerifyResult result =
      verify_model(model, *engine, batches_of(model, options), verify_options(options, memory, engine->program()));
  if (options.json.empty())
    print(verify_text(result, engine->program(), options.all, terminal_width()));
  else
    write_json(verify_json(result, *engine, options.model), options.json);
  return result.agrees() ? kFine : kDiffers;
}

}  // namespace

Command verify_command(Parser& parser) {
  CommandLine line =
      parser.command("verify", "Compare every tensor with ONNX Runtime, or with your own implementation, bit for bit");
  auto options = std::make_shared<VerifyArguments>();
  add_runnable_operand(line, options->model);
  line.option("--against", options->against,
              "Your own judge: a command that is given the model, inputs.npz and outputs.npz", "COMMAND");
  line.option("--input", options->input, "Inputs by name (.npz), or the only input (.npy)", "FILE");
  line.option("--random", options->seed, "Make up the inputs, if none are given; seed 1 if not said", "SEED");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  line.option("--run", options->run,
              "What ONNX Runtime is given: the file itself, the program as an operator file, or both (default)",
              "WHAT");
  add_policy_option(line, options->policy);
  add_python_option(line, options->python, "onnx and onnxruntime");
  line.option("--save-graph", options->save_graph, "Write the graph that ONNX Runtime executed", "FILE");
  line.option("--time-limit", options->limit, "Seconds that the judge may take for a batch; 600 if not said",
              "SECONDS");
  add_memory_option(line, options->memory,
                    "What the tensors of the judge may take; many are compared in several runs. Else a quarter of the "
                    "machine's memory");
  line.flag("--all", options->all, "List every tensor, not only those that differ");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet verify resnet8_int8.onnx --data test_batch.bin\n"
      "  octet verify resnet8_int8.onnx --against ./my_simulator.sh");
  return {line,
          [options, line] {
            refuse_unused(
                line, {{options->samples.given(), {"--input", "--random"}, "--data gives the inputs"},
                       {!options->input.empty(), {"--random"}, "--input gives the inputs"},
                       {!options->against.empty(), {"--run", "--python", "--save-graph"}, "--against names the judge"},
                       {options->run == "program", {"--save-graph"}, "it is the graph of the file; say --run file"},
                       {!options->json.empty(), {"--all"}, "--json has it all"}});
            return run_verify(*options);
          },
          Limits::kTrips};
}

}  // namespace octet::cli
