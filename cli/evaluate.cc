// evaluate.cc: octet evaluate
#include "octet/evaluate/evaluate.h"

#include <optional>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/evaluate/evaluation.h"
#include "octet/program/lower.h"

namespace octet::cli {
namespace {

struct EvaluateArguments {
  std::string model, baseline, arithmetic = "onnxruntime", policy = "exact", engine, json;
  SamplesOptions samples;
  int threads = 0;
  bool confusion = false;
  std::optional<double> max_drop;  // points
};

EngineOptions options_of(const EvaluateArguments& o) {
  return {.arithmetic = arithmetic_named(o.arithmetic), .threads = o.threads};
}

Score score_of(const std::string& path, const Model& model, const EvaluateArguments& o, const char* label,
               Evaluation* found = nullptr) {
  const Policy policy = policy_named(o.policy);
  const EngineOptions how = options_of(o);
  const NamedEngine& named = engine_for(o.engine, how);
  return of_model(path, !o.baseline.empty(), [&] {
    const auto engine = engine_of(path, named, lower(model, policy, how.arithmetic), how);
    const auto samples = o.samples.open(model);
    const auto keep_sources = [&](const Batch& batch) {
      if (found) found->sources.insert(found->sources.end(), batch.sources.begin(), batch.sources.end());
    };
    Score score =
        evaluate(*engine, *samples, {.batch = o.samples.batch, .progress = progress_line(label), .seen = keep_sources});
    if (const auto form = samples->preprocessing(); found && form) found->class_names = form->classes;
    return score;
  });
}

int run_evaluate(EvaluateArguments o) {
  check_outputs({{"model", o.model}, {"--baseline", o.baseline}, {"--data", o.samples.data}}, {{"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give labelled samples with --data");
  policy_named(o.policy);
  engine_for(o.engine, options_of(o));
  const Model model = load_model_named(o.model);
  Evaluation found{.max_drop = o.max_drop};
  if (o.baseline.empty()) {
    found.score = score_of(o.model, model, o, "evaluating", &found);
  } else {
    const Model baseline = load_model_named(o.baseline);
    o.samples.use_record_of({&model, &baseline}, {shown_name(o.model), shown_name(o.baseline)});
    found.score = score_of(o.model, model, o, "evaluating", &found);
    found.baseline = score_of(o.baseline, baseline, o, "evaluating the baseline");
  }
  if (o.json.empty())
    print(evaluation_text(found, {.confusion = o.confusion, .width = terminal_width()}));
  else
    write_json(
        evaluation_json(
            found, {.model = o.model,
                    .baseline = o.baseline,
                    .policy = o.policy,
                    .engine = is_compiled(o.model) ? "compiled" : std::string(engine_for(o.engine, options_of(o)).name),
                    .arithmetic = o.arithmetic}),
        o.json);
  return found.passed() ? kFine : kDiffers;
}

}  // namespace

Command evaluate_command(Parser& parser) {
  CommandLine line = parser.command("evaluate", "Measure how often a classifier is right, also against a baseline");
  auto o = std::make_shared<EvaluateArguments>();
  add_runnable_operand(line, o->model);
  add_samples_options(line, o->samples);
  const Argument baseline =
      line.option("--baseline", o->baseline, "Compare with this model, sample by sample", "MODEL");
  line.option("--max-drop", o->max_drop, "Exit code 1 when top-1 is more points below the baseline's", "POINTS")
      .needs(baseline);
  line.option("--arithmetic", o->arithmetic, "Arithmetic of the quantized operators", "NAME").shows_default();
  add_policy_option(line, o->policy);
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  line.flag("--confusion", o->confusion, "Print the confusion matrix");
  add_json_option(line, o->json);
  line.example("  octet evaluate int8.onnx --data test_batch.bin --baseline float.onnx");
  return {
      line,
      [o, line] {
        refuse_unused(line, {{!o->json.empty(), {"--confusion"}, "--json has it all"}});
        refuse_engine_options(line, o->baseline.empty() ? std::vector{o->model} : std::vector{o->model, o->baseline});
        return run_evaluate(*o);
      },
      Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
