// quantize.cc: quantize, sensitivity, tune and compile: from float models to 8-bit ones, and to libraries.

#include "octet/base/fail.h"
#include "octet/export/compile_report.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/quantize/choice_names.h"
#include "octet/quantize/quantize_report.h"
#include "octet/quantize/write_rules.h"
#include "octet/system/atomic_file.h"
#include "octet/tune/sensitivity_report.h"
#include "octet/tune/tune_report.h"
#include "octet/tune/tune_state.h"
#include "python/src/commands.h"
#include "python/src/quantization.h"

namespace octet::python {
namespace {

Deployment target_of(const Options& o) { return choice_named<Deployment>(o.text("target")); }

StaticOptions scheme_options(const Options& o) {
  const std::string activations = o.text("activations");
  if (!activations.empty() && activations != "int8" && activations != "uint8")
    fail(ErrorCode::kUsage, "activations {}: wanted int8 or uint8", activations);
  return {.activations = activations.empty()     ? activations_for(target_of(o))
                         : activations == "int8" ? DType::kInt8
                                                 : DType::kUint8,
          .symmetric_activations = o.flag("symmetric_activations"),
          .per_channel = !o.flag("per_tensor")};
}

using SharedTrials = std::shared_ptr<const Trials>;

// Of the float model, in the thread that works.
SharedTrials trials_of(const Model& model, const SampleRuns& runs, const std::string& name, const Work& work,
                       const OtherSamples& others = {}) {
  return std::make_shared<const Trials>(
      make_trials(model, runs, name, work.progress("running the float model"), others));
}

// Who calibrates, who chooses and who judges: of data, one part for every role that has no samples of its own.
struct Roles {
  Samples calibrating;
  OtherSamples others;
};

Roles roles_of(const Options& o, const Samples& samples) {
  const bool same = o.flag("same_samples");
  if (same && (o.given("calibration_data") || o.given("test_data")))
    fail(ErrorCode::kUsage, "calibration_data and test_data are not used: same_samples lets data do all of it");
  if (same) return {samples, {}};
  std::vector<Samples> roles;
  std::vector<std::size_t> shared;
  for (const char* own : {"calibration_data", "", "test_data"}) {
    const bool given = *own != 0 && o.given(own);
    if (!given) shared.push_back(roles.size());
    roles.push_back(given ? samples.with_data(o, own) : samples);
  }
  for (std::size_t i = 0; shared.size() > 1 && i < shared.size(); ++i)
    roles[shared[i]] = roles[shared[i]].with_part(fmt::format("{}/{}", i + 1, shared.size()));
  const auto open = [](const Samples& role) { return [role](const Model& model) { return role.open(model); }; };
  return {roles[0], {.choosing = open(roles[1]), .judging = open(roles[2])}};
}

}  // namespace

Report quantize_report(const Call& call) {
  const std::string output = call.options.path("output"), save_rules = call.options.path("save_rules");
  const Quantization how = quantization_of(call);
  const SharedModel model = call.source();
  const std::shared_ptr<const Model> loaded = call.model("model", false);
  const auto found = call.run([=] {
    auto result = std::make_shared<QuantizeResult>(quantize_model(*loaded, how.options));
    if (how.own_choice) result->how += " (Octet's choice)";
    if (!output.empty()) save_model(result->model, output);
    if (!save_rules.empty()) write_file(save_rules, rules_text(*result));
    return result;
  });
  const QuantizeSource source = {.output = output,
                                 .ranges_file = how.ranges,
                                 .ranges_found = how.ranges_found,
                                 .engine = how.engine,
                                 .repairs = how.options.dynamic ? Repairs() : how.options.repairs};
  for (const std::string& warning : found->warnings) call.work.warn(warning);
  call.run([] {});  // says them
  Report report{.json = [=] { return quantize_json(*found, source); },
                .text = [=](std::size_t width) { return quantize_text(*found, source, width); }};
  report.extras["model"] = make_model(found->model, output.empty() ? "quantized" : output);
  report.extras["simplified"] = make_model(found->simplified, model->name);
  return report;
}

Report sensitivity_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples();
  require_samples(samples, "give samples with data; labels are not needed");
  const std::string save_rules = o.path("save_rules"), keep_as = o.text("keep_as");
  if (keep_as != "float" && keep_as != "16-bit") fail(ErrorCode::kUsage, "keep_as {}: wanted float or 16-bit", keep_as);
  FindSensitivityOptions how{.calibration = calibration_named(o.text("calibration")),
                             .quantization = scheme_options(o),
                             .calibration_progress = call.work.progress("calibrating"),
                             .progress = call.work.progress("quantizing layer by layer")};
  const std::optional<std::int64_t> keep = o.optional_integer("keep", 1, 1000000);
  if (!save_rules.empty() || keep)
    how.keep = {.count = keep ? std::optional(static_cast<int>(*keep)) : std::nullopt, .wide = keep_as == "16-bit"};
  const SampleRuns runs = samples.runs(call.engine(), call.threads());
  const std::string name = call.source()->name;
  const std::shared_ptr<const Model> model = call.model("model", false);
  struct Found {
    SharedTrials trials;
    FoundSensitivity sensitivity;
  };
  const auto found = call.run([=, work = call.work] {
    SharedTrials trials = trials_of(*model, runs, name, work);
    FoundSensitivity sensitivity = find_sensitivity(*trials, how);
    if (!save_rules.empty()) write_file(save_rules, rules_text(sensitivity.decisions));
    return std::make_shared<const Found>(Found{std::move(trials), std::move(sensitivity)});
  });
  const auto picture = [found] { return sensitivity_picture(found->sensitivity, *found->trials->baseline); };
  write_text(o, "plot", picture);
  return {
      .json = [=] { return sensitivity_json(found->sensitivity, *found->trials, name); },
      .text =
          [found](std::size_t width) { return sensitivity_text(found->sensitivity, *found->trials->baseline, width); },
      .picture = picture};
}

Report tune_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples();
  require_samples(samples, "give samples with data");
  const std::string output = o.path("output"), save_rules = o.path("save_rules"), state = o.path("state");
  TuneOptions how{.goal = {.max_loss = o.optional_number("max_loss"), .min_sqnr = o.optional_number("min_sqnr")},
                  .progress = call.work.progress("trying")};
  require_goal(how.goal);
  const StaticOptions scheme = scheme_options(o);
  how.limits = {!scheme.per_channel, scheme.symmetric_activations, target_of(o)};
  how.quantization = {.activations = scheme.activations};
  const Roles roles = roles_of(o, samples);
  how.runs = roles.calibrating.runs(call.engine(), call.threads());
  const std::string name = call.source()->name, command = o.text("command");
  const std::shared_ptr<const Model> model = call.model("model", false);
  struct Found {
    SharedTrials trials;
    Tuned tuned;
  };
  const auto found = call.run([=, work = call.work]() mutable {
    SharedTrials trials = trials_of(*model, how.runs, name, work, roles.others);
    how.judge = trials->judge.get();
    Tuned tuned = tune_from_state(*trials, std::move(how), state);
    if (!output.empty()) save_model(tuned.model, output);
    if (!save_rules.empty()) write_file(save_rules, rules_text(tuned.decisions));
    return std::make_shared<const Found>(Found{std::move(trials), std::move(tuned)});
  });
  Report report{.json = [=] { return tune_json(found->tuned, *found->trials, name, command); },
                .text =
                    [found](std::size_t width) {
                      return tune_text(found->tuned, *found->trials->baseline, width, found->trials->judge.get());
                    },
                .passed = found->tuned.met && found->tuned.holds};
  report.extras["model"] = make_model(found->tuned.model, output.empty() ? "tuned" : output);
  return report;
}

Report compile_report(const Call& call) {
  const Options& o = call.options;
  const std::string output = o.path("output"), requantize = o.text("requantize");
  if (!output.ends_with(".so")) fail(ErrorCode::kUsage, "output {}: wanted NAME.so", output);
  if (requantize != "integer" && requantize != "float32")
    fail(ErrorCode::kUsage, "requantize {}: wanted integer or float32", requantize);
  const CompileOptions how{.policy = call.policy(), .float32_requantize = requantize == "float32"};
  const nb::object dynamic = o.object("dynamic");
  const bool quantizes = o.given("data") || o.given("ranges") || !(dynamic.is_none() || dynamic.is(nb::bool_(false)));
  std::optional<Quantization> first;
  if (quantizes) first = quantization_of(call);
  const auto dims = o.sizes("dim");
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model("model", false);
  struct Found {
    CompileResult made;
    std::string how;
  };
  const auto found = call.run([=, work = call.work] {
    Found result;
    Model compiled = *model;
    if (first) {
      QuantizeResult quantized = quantize_model(std::move(compiled), first->options);
      for (const std::string& warning : quantized.warnings) work.warn(warning);
      compiled = std::move(quantized.model);
      result.how = quantized.how + (first->own_choice ? " (Octet's choice)" : "");
    }
    result.made = compile_model(bind_dimensions(std::move(compiled), dims), how);
    write_file(output, result.made.library.bytes);
    return std::make_shared<const Found>(std::move(result));
  });
  const CompileSource named = {
      .model = source->name, .policy = std::string(name(how.policy)), .quantized = found->how, .output = output};
  return {.json = [=] { return compile_json(found->made, named); },
          .text = [=](std::size_t) { return compile_text(found->made, named); }};
}

}  // namespace octet::python
