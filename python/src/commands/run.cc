// run.cc: run, explain and bounds: what a program computes.
#include "octet/analyze/bounds_csv.h"
#include "octet/analyze/bounds_report.h"
#include "octet/analyze/explain_model.h"
#include "octet/analyze/explanation.h"
#include "octet/analyze/run_model.h"
#include "octet/base/fail.h"
#include "octet/spec/rounding_named.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"
#include "python/src/arrays.h"
#include "python/src/commands.h"

namespace octet::python {
namespace {

void save(const RunResult& found, bool all, const std::string& file) {
  NamedTensors saved = found.results;
  if (all) saved.insert(found.inputs.begin(), found.inputs.end());
  if (!file.ends_with(".npy") && !file.ends_with(".npz"))
    fail(ErrorCode::kUsage, "output {}: wanted NAME.npz or NAME.npy", file);
  if (file.ends_with(".npz")) return save_npz(saved, file);
  if (saved.size() != 1)
    fail(ErrorCode::kUsage, "{} can hold one array, there are {}: give an .npz archive", file, saved.size());
  save_npy(saved.begin()->second, file);
}

}  // namespace

Report run_report(const Call& call) {
  const Options& options = call.options;
  const std::string arithmetic = options.text("arithmetic"), output = options.path("output");
  const EngineOptions how{.arithmetic = arithmetic_named(arithmetic), .threads = call.threads()};
  const Policy policy = call.policy();
  const bool all = options.flag("all");
  const std::string engine = call.engine();
  const RunInputs given = run_inputs(options);
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model();
  struct Found {
    RunResult result;
    std::string engine;
  };
  const auto found = call.run([=, work = call.work] {
    NamedTensors inputs = given.read(*model, work);
    const auto runs = engine_of(*source, engine, lower(*model, policy, how.arithmetic), how);
    auto result = std::make_shared<const Found>(
        Found{run_model(*runs, std::move(inputs), all, work.progress("steps")), std::string(runs->name())});
    if (!output.empty()) save(result->result, all, output);
    return result;
  });
  Report report{.json =
                    [=] {
                      return run_json(found->result, {.model = source->name,
                                                      .policy = std::string(name(policy)),
                                                      .engine = found->engine,
                                                      .arithmetic = arithmetic});
                    },
                .text = [found](std::size_t width) { return run_text(found->result, width); }};
  nb::dict arrays;
  for (const std::string& name : found->result.order) arrays[to_name(name)] = to_array(found->result.results.at(name));
  report.extras["arrays"] = arrays;
  return report;
}

Report explain_report(const Call& call) {
  const Options& options = call.options;
  const ElementName element = parse_element(options.text("element"));
  ExplainOptions how{.policy = call.policy(),
                     .engine = call.engine(),
                     .arithmetic = arithmetic_named(options.text("arithmetic")),
                     .threads = call.threads(),
                     .progress = call.work.progress("steps")};
  const std::string format = options.text("format");
  if (format != "text" && format != "markdown")
    fail(ErrorCode::kUsage, "there is no format {}; the formats are text and markdown", format);
  const bool all_products = options.flag("all_products");
  const RunInputs given = run_inputs(options);
  const std::string name = call.source()->name;
  const std::shared_ptr<const Model> model = call.model();
  const auto found = call.run([=, work = call.work] {
    return std::make_shared<const ExplainResult>(explain_model(
        *model, element, [&] { return given.read(*model, work); }, how));
  });
  Report report{.json = [=] { return explanation_json(*found, name); },
                .text =
                    [=](std::size_t width) {
                      const ExplanationStyle style = {all_products, width};
                      return format == "text" ? explanation_text(found->explanation, style)
                                              : explanation_markdown(found->explanation, style);
                    }};
  report.extras["markdown"] = to_text(explanation_markdown(found->explanation, {all_products, 120}));
  return report;
}

Report bounds_report(const Call& call) {
  const Options& options = call.options;
  const Rounding rounding = rounding_named(options.text("rounding"));
  const std::string engine = call.engine();
  const int threads = call.threads();
  const Policy policy = call.policy();
  const Samples samples = call.samples();
  const SharedModel source = call.source();
  const bool plots = options.given("plot");
  std::optional<int> most;
  if (const auto bits = options.optional_integer("max_bits", 1, 64)) most = static_cast<int>(*bits);
  const std::shared_ptr<const Model> model = call.model();
  struct Found {
    std::shared_ptr<const Engine> engine;
    ProvenBounds bounds;
  };
  const auto found = call.run([=, work = call.work] {
    std::shared_ptr<const Engine> runs = make_engine(engine, lower(*model, policy), {.threads = threads});
    ProvenBounds bounds = prove_bounds(*runs, {.rounding = rounding,
                                               .max_bits = most,
                                               .batches = samples.given() ? samples.batches(model) : InputBatches(),
                                               .needs_sums = plots,
                                               .name = source->name,
                                               .progress = work.progress("steps"),
                                               .sample_progress = work.progress("samples")});
    return std::make_shared<const Found>(Found{std::move(runs), std::move(bounds)});
  });
  const auto picture = [found] { return bounds_picture(found->bounds, found->engine->program()); };
  write_text(options, "plot", picture);
  write_text(options, "table",
             [&] { return bounds_csv(found->engine->program(), found->bounds.steps, found->bounds.combining); });
  return {.json = [=] { return bounds_json(found->bounds, found->engine->program(), source->name); },
          .text = [=](std::size_t width) { return bounds_text(found->bounds, found->engine->program(), width); },
          .picture = found->bounds.steps.empty() ? std::function<std::string()>() : picture,
          .passed = found->bounds.passed()};
}

}  // namespace octet::python
