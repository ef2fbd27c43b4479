// measure.cc: evaluate, loss, simulate, sweep and bench: how good a network is on samples, and how fast.
#include <filesystem>

#include "octet/base/fail.h"
#include "octet/bench/bench_report.h"
#include "octet/data/model_inputs.h"
#include "octet/evaluate/evaluate.h"
#include "octet/evaluate/evaluation.h"
#include "octet/evaluate/loss_report.h"
#include "octet/simulate/damage_report.h"
#include "octet/simulate/sweep.h"
#include "octet/text/closest_names.h"
#include "python/src/commands.h"

namespace octet::python {
namespace {

constexpr const char* kNoSamples = "give samples with data";

// What f() gives; where a call has several models, errors say which one they are about.
template <typename F>
auto of_model(const std::string& file, bool one_of_several, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (!one_of_several || std::string_view(error.what()).starts_with(file)) throw;
    throw error.inside(file);
  }
}

HardwareOptions hardware_options(const Options& o) {
  return {.accumulator = o.text("accumulator"),
          .rounding = o.text("rounding"),
          .multiplier = o.text("multiplier"),
          .scales = o.text("scales"),
          .zero_point = o.text("zero_point"),
          .tile_rows = o.text("tile_rows"),
          .adc_bits = o.text("adc_bits"),
          .adc_range = o.text("adc_range"),
          .weight_noise = o.text("weight_noise"),
          .uncorrected = o.flag("no_zero_point_correction"),
          .zero_padding = o.flag("zero_padding"),
          .first_scale = o.flag("first_scale"),
          .saturating_pairs = o.flag("pair_saturation"),
          .seed = o.integer("seed", 0, 2147483647),
          .seeds = o.text("seeds")};
}

// Seeds of hardware that draws nothing would be of no use.
void require_random(const Options& o, const HardwareOptions& hardware) {
  if (!hardware.seeds.empty() && !is_random(hardware))
    fail(ErrorCode::kUsage, "seeds is not used: {}", o.command() + " draws nothing here");
}

SimulateOptions simulate_options(const Call& call, const Samples& samples, const std::string& engine) {
  return {.batch = samples.batch(),
          .engine = engine,
          .threads = call.threads(),
          .progress = call.work.progress("simulating")};
}

}  // namespace

namespace {

std::optional<DetectionOptions> detections_of(const Options& o) {
  const std::string boxes = o.text("boxes"), scores = o.text("scores"), form = o.text("box_form");
  if (boxes.empty() && scores.empty() && !o.given("background")) return std::nullopt;
  if (boxes.empty() || scores.empty()) fail(ErrorCode::kUsage, "boxes and scores go together");
  if (form != "corners" && form != "centers") fail(ErrorCode::kUsage, "box_form {}: wanted corners or centers", form);
  DetectionOptions options{
      .boxes = boxes, .scores = scores, .centers = form == "centers", .overlap = o.number("overlap")};
  if (const auto threshold = o.optional_number("threshold")) options.score = *threshold;
  options.background = o.optional_integer("background", 0, INT64_MAX);
  return options;
}

}  // namespace

Report evaluate_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples();
  require_samples(samples, "give labelled samples with data");
  const std::string arithmetic = o.text("arithmetic"), engine = call.engine();
  const EngineOptions how{.arithmetic = arithmetic_named(arithmetic), .threads = call.threads()};
  const Policy policy = call.policy();
  const bool confusion = o.flag("confusion"), has_baseline = o.given("baseline");
  const std::optional<double> max_drop = o.optional_number("max_drop");
  if (max_drop && !has_baseline) fail(ErrorCode::kUsage, "max_drop requires baseline");
  const SharedModel source = call.source(), baseline = has_baseline ? call.source("baseline") : nullptr;
  const std::shared_ptr<const Model> model = call.model("model", false),
                                     other = has_baseline ? call.model("baseline", false) : nullptr;
  struct Found {
    Evaluation evaluation;
    std::string engine;
  };
  const Samples common = other ? samples.with_record_of({model.get(), other.get()}) : samples;
  const auto found = call.run([=, work = call.work] {
    const auto score = [&](const SharedModel& named, const Model& of, const char* label, std::string* used,
                           Evaluation* evaluation) {
      return of_model(named->name, has_baseline, [&] {
        const auto runs = engine_of(*named, engine, lower(of, policy, how.arithmetic), how);
        if (used != nullptr) *used = runs->name();
        const auto stream = common.open(of);
        const auto keep_sources = [&](const Batch& batch) {
          if (evaluation != nullptr)
            evaluation->sources.insert(evaluation->sources.end(), batch.sources.begin(), batch.sources.end());
        };
        Score found = evaluate(*runs, *stream,
                               {.batch = samples.batch(), .progress = work.progress(label), .seen = keep_sources});
        if (const auto form = stream->preprocessing(); evaluation != nullptr && form)
          evaluation->class_names = form->classes;
        return found;
      });
    };
    auto result = std::make_shared<Found>();
    result->evaluation.score = score(source, *model, "evaluating", &result->engine, &result->evaluation);
    result->evaluation.max_drop = max_drop;
    if (baseline) result->evaluation.baseline = score(baseline, *other, "evaluating the baseline", nullptr, nullptr);
    return result;
  });
  const EvaluationSource named = {.model = source->name,
                                  .baseline = baseline ? baseline->name : "",
                                  .policy = std::string(name(policy)),
                                  .engine = found->engine,
                                  .arithmetic = arithmetic};
  return {.json = [=] { return evaluation_json(found->evaluation, named); },
          .text =
              [=](std::size_t width) {
                return evaluation_text(found->evaluation, {.confusion = confusion, .width = width});
              },
          .passed = found->evaluation.passed()};
}

Report loss_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples();
  require_samples(samples, "give samples with data; labels are not needed");
  const std::optional<double> least = o.optional_number("min_sqnr");
  const std::int64_t top = o.integer("top", 0, INT64_MAX);
  const bool weights = o.flag("weights");
  const SharedModel first = call.source("reference"), second = call.source();
  const LossOptions how{.first = first->name,
                        .second = second->name,
                        .map = o.names("map"),
                        .threshold = o.optional_number("threshold"),
                        .detections = detections_of(o),
                        .batch = samples.batch(),
                        .engine = call.engine(),
                        .threads = call.threads(),
                        .progress = call.work.progress("comparing")};
  const std::shared_ptr<const Model> reference = call.model("reference", false), model = call.model("model", false);
  const Samples common = samples.with_record_of({model.get(), reference.get()});
  const auto found = call.run([=, work = call.work] {
    const auto of_reference = of_model(first->name, true, [&] { return common.open(*reference); });
    const auto of_second = of_model(second->name, true, [&] { return common.open(*model); });
    auto loss = std::make_shared<const Loss>(measure_loss(*reference, *model, *of_reference, *of_second, how));
    for (const std::string& warning : warnings_of(*loss)) work.warn(warning);
    return loss;
  });
  const auto picture = [found] { return loss_picture(*found); };
  write_text(o, "plot", picture);
  const LossSource named = {.reference = first->name, .model = second->name, .engine = how.engine};
  return {
      .json = [=] { return loss_json(*found, named); },
      .text = [=](std::size_t width) { return loss_text(*found, {.top = top, .weights = weights, .width = width}); },
      .picture = picture,
      .passed = !least || outputs_below(*found, *least).empty()};
}

Report simulate_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples("sample_seed");
  require_samples(samples, kNoSamples);
  const HardwareOptions hardware = hardware_options(o);
  const std::vector<HardwareAxis> axes = axes_of(hardware);
  require_random(o, hardware);
  const bool pitfalls = o.flag("pitfalls"), has_float = o.given("float"), plots = o.given("plot");
  if (plots && !pitfalls) fail(ErrorCode::kUsage, "plot draws the pitfalls; say pitfalls=True too");
  if (pitfalls && !axes.empty())
    fail(ErrorCode::kUsage, "pitfalls runs the standard list; leave the other switches out");
  if (!pitfalls && axes.empty() && !has_float)
    fail(ErrorCode::kUsage, "say what the hardware does otherwise (help(octet.simulate)), or pitfalls=True");
  if (!pitfalls && !axes.empty() && has_float)
    fail(ErrorCode::kUsage, "float shows 8 bits between nodes, without other switches; leave them out");
  const std::string engine = call.engine(), name = call.source()->name;
  const SimulateOptions how = simulate_options(call, samples, engine);
  const std::shared_ptr<const Model> model = call.model(), float_model = has_float ? call.model("float") : nullptr;
  struct Found {
    Program exact;
    DamageReport report;
  };
  const auto found = call.run([=, work = call.work] {
    if (plots) samples.require_labels(*model, "plot draws accuracy");
    auto result = std::make_shared<Found>();
    result->exact = lower(*model, Policy::kExact);
    const auto unfused = [&]() -> HardwareVariant {
      if (!float_model) return {kUnfusedName, "give the float model with float"};
      return unfused_variant(result->exact, *float_model, *samples.open(*float_model),
                             {.batch = how.batch,
                              .engine = how.engine,
                              .threads = how.threads,
                              .progress = work.progress("measuring ranges")});
    };
    const auto seed = static_cast<std::uint64_t>(hardware.seed);
    std::vector<HardwareVariant> variants;
    if (pitfalls) variants = pitfall_variants(result->exact, seed);
    if (pitfalls || axes.empty())
      variants.push_back(unfused());
    else
      variants = hardware_variants(result->exact, axes, seed);
    result->report = simulate_hardware(result->exact, variants, *samples.open(*model), how);
    return result;
  });
  const auto picture = [found] { return damage_picture(found->report); };
  write_text(o, "plot", picture);
  return {.json =
              [=] {
                return damage_json(found->report, found->exact,
                                   {.model = name, .engine = engine, .seed = hardware.seed, .seeds = hardware.seeds});
              },
          .text = [found, draws = !hardware.seeds.empty()](
                      std::size_t width) { return damage_text(found->report, found->exact, width, draws); },
          .picture = found->report.labelled ? std::function<std::string()>(picture) : std::function<std::string()>()};
}

Report sweep_report(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples("sample_seed");
  require_samples(samples, kNoSamples);
  const HardwareOptions hardware = hardware_options(o);
  const std::vector<HardwareAxis> axes = axes_of(hardware);
  require_random(o, hardware);
  if (axes.empty()) fail(ErrorCode::kUsage, "say what to sweep, such as accumulator=\"12..32\" (help(octet.sweep))");
  const bool plots = o.given("plot");
  if (plots) plotted_axis(axes);
  const auto seed = static_cast<std::uint64_t>(hardware.seed);
  settings_of(axes, seed);
  const std::string engine = call.engine(), name = call.source()->name;
  const SimulateOptions how = simulate_options(call, samples, engine);
  const std::shared_ptr<const Model> model = call.model();
  struct Found {
    Program exact;
    Sweep sweep;
  };
  const auto found = call.run([=] {
    if (plots) samples.require_labels(*model, "plot draws accuracy");
    auto result = std::make_shared<Found>();
    result->exact = lower(*model, Policy::kExact);
    result->sweep = sweep(result->exact, axes, seed, *samples.open(*model), how);
    return result;
  });
  const auto picture = [found] { return sweep_picture(found->sweep); };
  const auto table = [found] { return sweep_csv(found->sweep, found->exact); };
  write_text(o, "plot", picture);
  write_text(o, "output", table);
  Report report{.json =
                    [=] {
                      return sweep_json(found->sweep, found->exact,
                                        {.model = name, .engine = engine, .seed = hardware.seed});
                    },
                .text = [table](std::size_t) { return table(); }};
  const bool has_numbers = std::ranges::any_of(found->sweep.axes, [](const HardwareAxis& axis) {
    return axis.is_swept() && axis.choices.front().number.has_value();
  });
  if (found->sweep.simulated.labelled && has_numbers) report.picture = picture;
  return report;
}

namespace {

// The rivals' names, as the option has them: "onnxruntime", "openvino", and models, which are float ones.
std::vector<Rival> rivals_of(const Call& call, const std::shared_ptr<const Model>& model) {
  std::vector<Rival> rivals;
  for (const std::string& name : call.options.texts("against")) {
    if (name == "onnxruntime") {
      rivals.push_back({Runtime::kOnnxRuntime, "ONNX Runtime", *model});
      rivals.push_back({Runtime::kOnnxRuntimeExact, "ONNX Runtime, exact", *model});
    } else if (name == "openvino") {
      rivals.push_back({Runtime::kOpenVino, "OpenVINO", *model});
    } else {
      const std::string meant = mistyped_name(name, {"onnxruntime", "openvino"});
      fail(ErrorCode::kUsage, "there is no contender {}; {}known are onnxruntime, openvino and float=MODEL", name,
           meant.empty() ? "" : fmt::format("did you mean {}? ", meant));
    }
  }
  if (call.options.given("float"))
    rivals.push_back({Runtime::kOnnxRuntime, "ONNX Runtime, float", *call.model("float", false)});
  return rivals;
}

}  // namespace

Report bench_report(const Call& call) {
  const Options& o = call.options;
  const Policy policy = call.policy();
  const std::string engine = call.engine();
  const std::vector<std::int64_t> threads = o.integers("threads", 1, 1'000'000),
                                  sizes = o.integers("batch", 1, 1'000'000);
  const double seconds = o.number("seconds");
  if (!(seconds > 0)) fail(ErrorCode::kUsage, "seconds wants a time above 0, and not {}", seconds);
  const bool steps = o.flag("steps");
  RunInputs given = run_inputs(o, "input", "random");
  const std::uint64_t seed = given.seed.value_or(1);
  const bool has_input = o.given("input");
  given.seed.reset();
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model();
  BenchOptions how{.policy = policy,
                   .engine = source->compiled ? "compiled" : engine,
                   .rivals = rivals_of(call, model),
                   .python = python_named(o.path("python")),
                   .seconds = seconds,
                   .progress = call.work.progress("measuring")};
  if (source->compiled)
    how.make_engine = [source, engine](Program program, const EngineOptions& options) {
      return engine_of(*source, engine, std::move(program), options);
    };
  using Measurements = std::vector<Measurement>;
  const auto found = call.run([=, work = call.work] {
    const std::vector<NamedTensors> batches =
        has_input ? std::vector{given.read(*model, work)} : random_batches(*model, sizes, seed);
    return std::make_shared<const Measurements>(measure_settings(*model, batches, threads, how));
  });
  const auto picture = [=] { return bench_picture(*found, std::filesystem::path(source->name).filename().string()); };
  write_text(o, "plot", picture);
  return {.json =
              [=] {
                return bench_json(*found,
                                  {.model = source->name, .policy = std::string(name(policy)), .engine = engine});
              },
          .text = [=](std::size_t width) { return bench_text(*found, steps, width); },
          .picture = picture};
}

}  // namespace octet::python
