// evaluate.cc: octet evaluate
#include "octet/evaluate/evaluate.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/text/json.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct EvaluateArguments {
  std::string model, baseline, arithmetic = "onnxruntime", policy = "exact", engine, json;
  SamplesOptions samples;
  int threads = 0;
  bool confusion = false;
  std::optional<double> max_drop;  // points
};

struct Result {
  Score score;
  std::optional<Score> baseline;
};

double drop_of(const Result& result) { return points_lost(*result.baseline, result.score); }

EngineOptions options_of(const EvaluateArguments& o) {
  return {.arithmetic = arithmetic_named(o.arithmetic), .threads = o.threads};
}

Score score_of(const std::string& path, const EvaluateArguments& o, const char* label) {
  const Policy policy = policy_named(o.policy);
  const EngineOptions how = options_of(o);
  const NamedEngine& named = engine_for(o.engine, how);
  return of_model(path, !o.baseline.empty(), [&] {
    const Model model = load_model_named(path);
    const auto engine = engine_of(path, named, lower(model, policy, how.arithmetic), how);
    const auto samples = o.samples.open(model);
    return evaluate(*engine, *samples, {.batch = o.samples.batch, .progress = progress_line(label)});
  });
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Json evaluate_facts(const Score& score, const std::string& file) {
  return {{"file", file},
          {"samples", score.samples()},
          {"classes", score.classes()},
          {"top1", score.top1()},
          {"top5", score.top5()},
          {"per_class", {{"samples", score.labelled_per_class()}, {"right", score.right_per_class()}}},
          {"confusion", score.confusion()},
          {"predictions", score.predictions()}};
}

Json evaluate_facts(const EvaluateArguments& o, const Result& result) {
  Json json = {{"schema", "octet.evaluate/1"},
               {"octet", kVersion},
               {"policy", o.policy},
               {"engine", is_compiled(o.model) ? "compiled" : engine_for(o.engine, options_of(o)).name},
               {"arithmetic", o.arithmetic},
               {"model", evaluate_facts(result.score, o.model)}};
  if (result.baseline) {
    const Agreement a = compare(*result.baseline, result.score);
    json["baseline"] = evaluate_facts(*result.baseline, o.baseline);
    json["agreement"] = {{"same_prediction", a.same_prediction},
                         {"only_baseline_right", a.only_first_right},
                         {"only_model_right", a.only_second_right},
                         {"p_value", json_number(a.p_value)}};
    if (o.max_drop)
      json["verdict"] = {{"max_drop", json_number(*o.max_drop)},
                         {"drop", json_number(drop_of(result))},
                         {"passed", drop_of(result) <= *o.max_drop}};
  }
  return json;
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  return fmt::format("{} of {} ({:.2f} %)", part, whole, percent(part, whole));
}

std::string class_table(const Result& result) {
  std::vector<Table::Column> columns = {{"class", Table::Fit::kWhole, true},
                                        {"samples", Table::Fit::kWhole, true},
                                        {"right", Table::Fit::kWhole, true},
                                        {"share", Table::Fit::kWhole, true}};
  if (result.baseline) columns.push_back({"baseline right", Table::Fit::kWhole, true});
  Table table(columns);
  const auto samples = result.score.labelled_per_class(), right = result.score.right_per_class();
  const auto before = result.baseline ? result.baseline->right_per_class() : std::vector<std::int64_t>();
  for (std::size_t c = 0; c < samples.size(); ++c) {
    std::vector<std::string> row = {std::to_string(c), std::to_string(samples[c]), std::to_string(right[c]),
                                    samples[c] == 0 ? "-" : fmt::format("{:.1f} %", percent(right[c], samples[c]))};
    if (c < before.size()) row.push_back(std::to_string(before[c]));
    table.add(row);
  }
  return table.text(terminal_width());
}

std::string confusion_table(const Score& score) {
  std::vector<Table::Column> columns = {{"label", Table::Fit::kWhole, true}};
  for (std::int64_t c = 0; c < score.classes(); ++c) columns.push_back({std::to_string(c), Table::Fit::kWhole, true});
  Table table(columns);
  const auto confusion = score.confusion();
  for (std::size_t label = 0; label < confusion.size(); ++label) {
    std::vector<std::string> row = {std::to_string(label)};
    for (std::int64_t count : confusion[label]) row.push_back(std::to_string(count));
    table.add(row);
  }
  return "\npredicted class by label:\n" + table.text(terminal_width());
}

std::string evaluate_text(const Result& result, const EvaluateArguments& o) {
  const Score& s = result.score;
  std::string out = class_table(result) + (o.confusion ? confusion_table(s) : "");
  out += fmt::format("\ntop-1  {}\ntop-5  {}\n", share_of(s.top1(), s.samples()), share_of(s.top5(), s.samples()));
  if (result.baseline) {
    const Agreement a = compare(*result.baseline, s);
    out += fmt::format(
        "\nbaseline top-1  {}\nsame prediction {}\nright in the baseline only {}, right in the model only {}: a split "
        "this "
        "uneven by chance has p = {:.3f}\n",
        share_of(result.baseline->top1(), s.samples()), share_of(a.same_prediction, a.samples), a.only_first_right,
        a.only_second_right, a.p_value);
    if (o.max_drop)
      out += fmt::format("verdict: a {} of {:.2f} points is {} {:g}\n", drop_of(result) < 0 ? "gain" : "drop",
                         std::abs(drop_of(result)), drop_of(result) <= *o.max_drop ? "within" : "beyond", *o.max_drop);
  }
  return out;
}

int run_evaluate(const EvaluateArguments& o) {
  check_outputs({{"model", o.model}, {"--baseline", o.baseline}, {"--data", o.samples.data}}, {{"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give labelled samples with --data");
  Result result{.score = score_of(o.model, o, "evaluating")};
  if (!o.baseline.empty()) result.baseline = score_of(o.baseline, o, "evaluating the baseline");
  if (o.json.empty())
    print(evaluate_text(result, o));
  else
    write_json(json_text(evaluate_facts(o, result)), o.json);
  return o.max_drop && drop_of(result) > *o.max_drop ? kDiffers : kFine;
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
      line, [o, line] {
        refuse_unused(line, {{!o->json.empty(), {"--confusion"}, "--json has it all"}});
        refuse_engine_options(line, o->baseline.empty() ? std::vector{o->model} : std::vector{o->model, o->baseline});
        return run_evaluate(*o);
      }};
}

}  // namespace octet::cli
