// explain.cc: octet explain
#include "octet/analyze/explain.h"

#include <fmt/core.h>

#include <set>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/analyze/explanation.h"
#include "octet/analyze/find_element.h"
#include "octet/base/fail.h"
#include "octet/base/one_nan.h"
#include "octet/program/lower.h"

namespace octet::cli {
namespace {

struct ExplainArguments {
  std::string model, element, json, policy = "exact", engine, format = "text";
  InputOptions inputs;
  std::vector<std::string> dims;
  std::string arithmetic = std::string(named_arithmetics().front().name);
  bool all_products = false;
  int threads = 0;
};

// What the step reads, of a run with these inputs.
NamedTensors values_read_by(const Engine& engine, std::size_t step, const NamedTensors& inputs) {
  std::set<std::string> wanted;
  for (const ValueId value : inputs_of(engine.program(), engine.program().steps[step]))
    wanted.insert(engine.program().values[value].name);
  NamedTensors values = engine.checked_inputs(inputs);
  const auto keep = [&](const std::string& name, const Tensor& tensor) {
    if (wanted.contains(name)) values[name] = with_one_nan(tensor);
  };
  engine.run(inputs, {.progress = progress_line("steps"), .observe = keep});
  return values;
}

int run_explain(const ExplainArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.inputs.file}}, {{"--json", options.json}});
  const ElementName element = parse_element(options.element);
  const Policy policy = policy_named(options.policy);
  const Arithmetic arithmetic = arithmetic_named(options.arithmetic);
  const EngineOptions how{.arithmetic = arithmetic, .threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, how);
  if (options.format != "text" && options.format != "markdown")
    fail(ErrorCode::kUsage, "there is no format {}; the formats are text and markdown", options.format);
  const Model model = load_model_named(options.model, options.dims);
  Program program = lower(model, policy);
  const std::size_t step = step_that_makes(program, model, element.tensor);

  NamedTensors inputs = inputs_for(model, options.inputs);
  const auto engine = make_engine(named, std::move(program), how);
  const NamedTensors values = values_read_by(*engine, step, inputs);
  const Explanation explanation =
      explain_element(engine->program(), step, element.tensor, element.index, values, arithmetic);

  const ExplanationStyle style = {options.all_products, terminal_width()};
  if (!options.json.empty())
    write_json(explanation_json(explanation, options.model, *engine), options.json);
  else if (options.format == "text")
    print(explanation_text(explanation, style));
  else
    print_data(explanation_markdown(explanation, style));
  return kFine;
}

}  // namespace

Command explain_command(Parser& parser) {
  CommandLine line = parser.command("explain", "Show how one element of a tensor came about, operation by operation");
  auto options = std::make_shared<ExplainArguments>();
  add_model_operand(line, options->model);
  line.option("element", options->element, "A tensor and an index: 'conv1_output[0,5,7,9]'").required();
  add_input_options(line, options->inputs);
  add_dim_option(line, options->dims);
  line.flag("--all-products", options->all_products, "Show every term of a sum, not the first and the last ones");
  line.option("--format", options->format, "text (else), or markdown with formulas for GitHub", "NAME");
  add_policy_option(line, options->policy);
  line.option("--arithmetic", options->arithmetic, "See octet run --help; else onnxruntime", "NAME");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet explain model.onnx 'conv1_output[0,5,7,9]' --input image.npz\n"
      "  octet explain model.onnx 'sum_q[0,0,0,0]' --random 1 --format markdown");
  return {line, [options, line] {
            refuse_unused(line, {{!options->json.empty(), {"--all-products", "--format"}, "--json has it all"}});
            return run_explain(*options);
          }};
}

}  // namespace octet::cli
