// explain.cc: octet explain
#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/analyze/explain_model.h"
#include "octet/analyze/explanation.h"
#include "octet/base/fail.h"

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

int run_explain(const ExplainArguments& options) {
  check_outputs({{"model", options.model}, {"--input", options.inputs.file}, {"--data", options.inputs.samples.data}},
                {{"--json", options.json}});
  const ElementName element = parse_element(options.element);
  const Policy policy = policy_named(options.policy);
  const Arithmetic arithmetic = arithmetic_named(options.arithmetic);
  engine_for(options.engine, {.arithmetic = arithmetic, .threads = options.threads});
  if (options.format != "text" && options.format != "markdown")
    fail(ErrorCode::kUsage, "there is no format {}; the formats are text and markdown", options.format);
  const Model model = load_model_named(options.model, options.dims);
  const ExplainResult found = explain_model(model, element, [&] { return inputs_for(model, options.inputs); },
                                            {.policy = policy,
                                             .engine = options.engine,
                                             .arithmetic = arithmetic,
                                             .threads = options.threads,
                                             .progress = progress_line("steps")});

  const ExplanationStyle style = {options.all_products, terminal_width()};
  if (!options.json.empty())
    write_json(explanation_json(found, options.model), options.json);
  else if (options.format == "text")
    print(explanation_text(found.explanation, style));
  else
    print_data(explanation_markdown(found.explanation, style));
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
  line.option("--format", options->format, "text (default), or markdown with formulas for GitHub", "NAME");
  add_policy_option(line, options->policy);
  line.option("--arithmetic", options->arithmetic, "See octet run --help; else onnxruntime", "NAME");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet explain model.onnx 'conv1_output[0,5,7,9]' --input image.npz\n"
      "  octet explain model.onnx 'sum_q[0,0,0,0]' --random 1 --format markdown");
  return {line,
          [options, line] {
            refuse_unused(line, {{!options->json.empty(), {"--all-products", "--format"}, "--json has it all"}});
            return run_explain(*options);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
