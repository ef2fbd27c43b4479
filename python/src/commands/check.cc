// check.cc: verify, compare and conformance: a network beside what others make of it.
#include <chrono>
#include <utility>

#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/data/model_inputs.h"
#include "octet/export/dump_report.h"
#include "octet/export/files.h"
#include "octet/graph/default_dimensions.h"
#include "octet/system/atomic_file.h"
#include "octet/system/npz.h"
#include "octet/system/read_file.h"
#include "octet/verify/compare_report.h"
#include "octet/verify/compare_runs.h"
#include "octet/verify/conformance_report.h"
#include "octet/verify/verification_text.h"
#include "octet/verify/verify_report.h"
#include "python/src/arrays.h"
#include "python/src/commands.h"

namespace octet::python {
namespace {

// The batch of `input`, or of random numbers where it is not given.
VerifyBatches one_batch(const std::shared_ptr<const Model>& model, const RunInputs& given, bool has_input,
                        std::uint64_t seed, const Work& work) {
  return [=, asked = false]() mutable -> std::optional<VerifyBatch> {
    if (std::exchange(asked, true)) return std::nullopt;
    NamedTensors inputs;
    if (has_input)
      inputs = given.read(*model, work);
    else
      add_random_inputs(with_symbols_as_one(*model), seed, inputs);
    require_all_inputs(*model, inputs, given.path);
    return VerifyBatch{.inputs = std::move(inputs), .samples = 1, .total = 1};
  };
}

}  // namespace

Report verify_report(const Call& call) {
  const Options& o = call.options;
  const Policy policy = call.policy();
  const std::string engine = call.engine(), against = o.text("against");
  const int threads = call.threads();
  const bool all = o.flag("all"), has_input = o.given("input");
  RunInputs given = run_inputs(o);
  const std::uint64_t seed = given.seed.value_or(1);
  given.seed.reset();
  const Samples samples = call.samples();
  if (samples.given() && (has_input || o.given("random")))
    fail(ErrorCode::kUsage, "input and random are not used: data gives the inputs");
  const SharedModel source = call.source();
  const std::optional<std::int64_t> memory = o.bytes("memory");
  VerifyOptions how{.form = judged_form_named(o.text("run")),
                    .python = python_named(o.path("python")),
                    .save_graph = o.path("save_graph"),
                    .limit = std::chrono::seconds(o.integer("time_limit", 1, INT32_MAX)),
                    .memory = memory ? static_cast<std::uint64_t>(*memory) : machine_memory() / 4,
                    .width = 80,
                    .progress = call.work.progress("steps")};
  if (!against.empty()) how.against = {against, source->in_file && !source->compiled ? source->name : ""};
  const std::shared_ptr<const Model> model = call.model();
  struct Found {
    std::shared_ptr<const Engine> engine;
    VerifyResult result;
  };
  const auto found = call.run([=, work = call.work]() mutable {
    std::shared_ptr<const Engine> runs = make_engine(engine, lower(*model, policy), {.threads = threads});
    if (source->compiled)
      how.rival = {"the library, beside Octet's engine, to the last bit", source->name,
                   compiled_engine(source->compiled, runs->program())};
    const VerifyBatches batches =
        samples.given() ? samples.batches(model) : one_batch(model, given, has_input, seed, work);
    VerifyResult result = verify_model(*model, *runs, batches, how);
    return std::make_shared<const Found>(Found{std::move(runs), std::move(result)});
  });
  return {.json = [=] { return verify_json(found->result, *found->engine, source->name); },
          .text = [=](std::size_t width) { return verify_text(found->result, found->engine->program(), all, width); },
          .passed = found->result.agrees()};
}

namespace {

Report compare_archives_report(const Call& call) {
  const std::string golden = call.options.path("golden"), mine = call.options.path("mine");
  const bool all = call.options.flag("all");
  const auto found =
      call.run([=] { return std::make_shared<const ArchiveComparison>(compare_archives(golden, mine)); });
  return {.json = [=] { return archives_json(*found); },
          .text = [=](std::size_t width) { return archives_text(*found, all, width); },
          .passed = found->equal()};
}

Report compare_runs_report(const Call& call) {
  const Options& o = call.options;
  const std::string golden = o.path("golden"), mine = o.path("mine"), engine = call.engine();
  const bool all = o.flag("all");
  const Policy policy = call.policy();
  const int threads = call.threads();
  const SharedModel source = call.source();
  const std::shared_ptr<const Model> model = call.model("model", false);
  struct Found {
    std::shared_ptr<const Engine> engine;
    Verification verification;
  };
  const auto found = call.run([=, work = call.work] {
    const NamedTensors right = load_npz(golden), questioned = load_npz(mine);
    std::shared_ptr<const Engine> runs = make_engine(engine, lower(*model, policy), {.threads = threads});
    if (const std::vector<std::string> unknown = unknown_tensors(runs->program(), right); !unknown.empty())
      work.warn(fmt::format("{} holds {} arrays that the program does not compute, such as {}", golden, unknown.size(),
                            unknown.front()));
    Verification verification = compare_runs(*runs, right, questioned, 80);
    return std::make_shared<const Found>(Found{std::move(runs), std::move(verification)});
  });
  return {.json =
              [=] {
                return comparison_json(found->verification, found->engine->program(),
                                       {.model = source->name, .policy = std::string(name(policy)), .engine = engine});
              },
          .text =
              [=](std::size_t width) {
                return verification_text(found->verification, found->engine->program(), all, width);
              },
          .passed = found->verification.agrees()};
}

}  // namespace

std::vector<VectorInput> vector_inputs(const Call& call, const std::shared_ptr<const Model>& model) {
  std::vector<VectorInput> inputs;
  const nb::object given = call.options.object("input");
  const std::optional<std::int64_t> seed = call.options.optional_integer("random", 0, INT64_MAX);
  const auto add = [&](nb::handle one, std::string source) {
    nb::dict values;
    values["input"] = one;
    RunInputs read = run_inputs_of(one, Options(call.options.command(), values), "input");
    if (seed) read.seed = static_cast<std::uint64_t>(*seed);
    if (!read.path.empty()) source = read.path;
    inputs.push_back({std::move(source), read.read(*model, call.work)});
  };
  if (PyList_Check(given.ptr()) != 0) {
    for (const nb::handle one : nb::borrow<nb::list>(given)) add(one, "an array");
  } else if (!given.is_none()) {
    add(given, "an array");
  } else if (seed) {
    add(nb::none(), fmt::format("random {}", *seed));
  }
  return inputs;
}

namespace {

Report compare_dumps_report(const Call& call) {
  const Options& o = call.options;
  const Policy policy = call.policy();
  const DumpStyle style{layout_named(o.text("layout")), static_cast<int>(o.integer("word", 0, 4096))};
  const std::string engine = call.engine();
  const EngineOptions how{.threads = call.threads()};
  const bool all = o.flag("all");
  const std::vector<std::string> paths = o.paths("against");
  const SharedModel source = call.source("golden");
  const auto model = std::make_shared<const Model>(with_batch_of_one(*call.model("golden")));
  struct Found {
    std::shared_ptr<const Engine> engine;
    Dumps dumps;
    std::vector<VectorInput> inputs;
    DumpComparison comparison;
    DumpReport report() const { return {comparison, dumps, inputs, *engine}; }
  };
  auto inputs = vector_inputs(call, model);
  const auto found = call.run([=, work = call.work]() mutable {
    auto result = std::make_shared<Found>();
    result->engine = make_engine(engine_for(engine, how), lower(*model, policy), how);
    result->dumps = read_dumps(result->engine->program(), paths, style);
    require_used(result->dumps, style);
    result->inputs = std::move(inputs);
    result->comparison = compare_dumps(*result->engine, result->dumps, result->inputs, work.progress("steps"));
    return result;
  });
  return {.json =
              [=] {
                return dumps_json(found->report(), {.model = source->name,
                                                    .policy = std::string(name(policy)),
                                                    .engine = std::string(found->engine->name())});
              },
          .text =
              [=](std::size_t width) {
                return dumps_text(found->report(), {.all = all, .layout = style.layout, .width = width});
              },
          .passed = found->comparison.equal};
}

}  // namespace

Report compare_report(const Call& call) {
  if (call.options.given("against")) return compare_dumps_report(call);
  return call.options.given("model") ? compare_runs_report(call) : compare_archives_report(call);
}

Report conformance_report(const Call& call) {
  const Options& o = call.options;
  const std::string against = o.text("against"), answers = o.path("answers"), rows = o.path("rows"),
                    save = o.path("save"), folder = o.path("suite");
  const std::vector<std::string> only = o.texts("only");
  const bool lists = o.flag("list");
  const std::chrono::seconds limit(o.integer("time_limit", 1, 1000000));
  if (!against.empty() + !answers.empty() + !rows.empty() + !save.empty() + lists != 1)
    fail(ErrorCode::kUsage, "say one of against, answers, rows, save and list");
  struct Found {
    Suite suite;
    std::optional<Conformance> judged;
  };
  const std::string who = against.empty() ? answers : against;
  const auto found = call.run([=] {
    auto result = std::make_shared<Found>();
    result->suite = chosen(folder.empty() ? built_in_suite() : load_suite(folder), only);
    if (!save.empty()) {
      ExportedFiles files;
      for (const SuiteFile& file : result->suite.files) files.push_back({file.name, file.contents});
      write_files(save, files);
    }
    if (!rows.empty()) write_file(rows, questions_of(result->suite));
    if (who.empty()) return result;
    std::string given;
    if (against.empty()) {
      const FileBytes file = read_file(answers, std::uint64_t{1} << 30);
      given.assign(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    } else {
      given = answers_of(against, result->suite, limit);
    }
    result->judged = judge_answers(result->suite, given, who);
    return result;
  });
  if (!found->judged)
    return {.json = [=] { return found->suite.files.front().contents; },
            .text = [=](std::size_t width) { return suite_text(found->suite, width); }};
  return {.json = [=] { return conformance_json(found->suite, *found->judged, who); },
          .text = [=](std::size_t width) { return conformance_text(found->suite, *found->judged, who, width); },
          .passed = found->judged->passed()};
}

}  // namespace octet::python
