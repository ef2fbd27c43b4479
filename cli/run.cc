// run.cc: octet run
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/statistics.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/engine/engine.h"
#include "octet/program/lower.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

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

// The order in which to show results: as the program computes them, or lists its outputs.
std::vector<std::string> names_in_order(const Program& program, bool all) {
  std::vector<std::string> names;
  if (!all) {
    for (const ValueId output : program.outputs) names.push_back(program.values[output].name);
    return names;
  }
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) names.push_back(program.values[output].name);
  return names;
}

std::string run_text(const std::vector<std::string>& names, const NamedTensors& results) {
  Table table({{"output", Table::Fit::kShorten, false, 20},
               {"type"},
               {"shape"},
               {"min", Table::Fit::kWhole, true},
               {"max", Table::Fit::kWhole, true},
               {"mean", Table::Fit::kWhole, true},
               {"first values", Table::Fit::kWrap, false, 24}});
  for (const std::string& name : names) {
    const auto result = results.find(name);
    if (result == results.end()) continue;
    const Tensor& tensor = result->second;
    std::vector<std::string> row = {name, std::string(octet::name(tensor.dtype())), to_string(tensor.shape())};
    const std::optional<Statistics> s = statistics_of(tensor);
    row.push_back(s ? element_text(tensor, s->least) : "");
    row.push_back(s ? element_text(tensor, s->greatest) : "");
    row.push_back(s ? fmt::format("{:.6g}", s->mean) : "");
    row.push_back(first_elements(tensor, 4));
    if (s && s->nans > 0) row.back() += fmt::format(" ({} NaN)", s->nans);
    table.add(std::move(row));
  }
  return table.text(terminal_width());
}

Json run_facts(const RunArguments& options, const Engine& engine, const NamedTensors& inputs,
               const std::vector<std::string>& names, const NamedTensors& results) {
  Json given = Json::array(), computed = Json::array();
  for (const auto& [name, tensor] : inputs) given.push_back(tensor_facts(name, tensor));
  for (const std::string& name : names)
    if (const auto result = results.find(name); result != results.end())
      computed.push_back(tensor_facts(name, result->second));
  return {{"schema", "octet.run/1"},  {"octet", kVersion},       {"model", options.model},
          {"policy", options.policy}, {"engine", engine.name()}, {"arithmetic", options.arithmetic},
          {"inputs", given},          {"outputs", computed}};
}

int run_run(const RunArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.inputs.file}},
                {{"--output", options.output}, {"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const EngineOptions how{.arithmetic = arithmetic_named(options.arithmetic), .threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, how);
  Model model = load_model_named(options.model, options.dims);
  NamedTensors inputs = inputs_for(model, options.inputs);
  const auto engine = engine_of(options.model, named, lower(std::move(model), policy, how.arithmetic), how);
  NamedTensors results = engine->run(inputs, {options.all, progress_line("steps")});
  const std::vector<std::string> names = names_in_order(engine->program(), options.all);

  if (!options.output.empty()) {
    NamedTensors saved = results;
    if (options.all) saved.insert(inputs.begin(), inputs.end());
    save(saved, options.output);
  }
  if (options.json.empty())
    print(run_text(names, results));
  else
    write_json(json_text(run_facts(options, *engine, inputs, names, results)), options.json);
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
      "  octet run model.onnx --random 1 --dim N=1\n\n" +
      arithmetics());
  return {line, [options, line] {
            refuse_engine_options(line, {options->model});
            return run_run(*options);
          }};
}

}  // namespace octet::cli
