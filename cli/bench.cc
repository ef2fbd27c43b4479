// bench.cc: octet bench
#include "octet/bench/bench.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>

#include "cli/command.h"
#include "cli/compiled_model.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/python_option.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/bench/bench_report.h"
#include "octet/data/model_inputs.h"
#include "octet/system/atomic_file.h"
#include "octet/text/closest_names.h"

namespace octet::cli {
namespace {

constexpr std::string_view kFloat = "float=";

struct BenchArguments {
  std::string model, python, plot, json, policy = "exact", engine = kDefaultEngine, input;
  std::vector<std::string> against, threads = {"1"}, batches, dims;
  std::uint64_t seed = 1;
  double seconds = 1;
  bool steps = false;
};

// Comma-separated numbers of at least 1.
std::vector<std::int64_t> positive_numbers(const std::string& option, const std::vector<std::string>& words) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words) {
    std::int64_t number = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || rest != end || number < 1 || number > 1'000'000)
      fail(ErrorCode::kUsage, "{} wants numbers from 1 on, such as 1,2, and not {}", option, word);
    numbers.push_back(number);
  }
  return numbers;
}

// Throws kUsage for what is none of the known names.
void check_rivals(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "onnxruntime" || name == "openvino" || (name.starts_with(kFloat) && name.size() > kFloat.size()))
      continue;
    const std::string meant = mistyped_name(name, {"onnxruntime", "openvino"});
    fail(ErrorCode::kUsage, "there is no contender {}; {}known are onnxruntime, openvino and float=MODEL", name,
         meant.empty() ? "" : fmt::format("did you mean {}? ", meant));
  }
}

std::vector<Rival> rivals_of(const std::vector<std::string>& names, const Model& model) {
  std::vector<Rival> rivals;
  for (const std::string& name : names) {
    if (name == "onnxruntime") {
      rivals.push_back({Runtime::kOnnxRuntime, "ONNX Runtime", model});
      rivals.push_back({Runtime::kOnnxRuntimeExact, "ONNX Runtime, exact", model});
    } else if (name == "openvino") {
      rivals.push_back({Runtime::kOpenVino, "OpenVINO", model});
    } else {
      rivals.push_back({Runtime::kOnnxRuntime, "ONNX Runtime, float", load_model_named(name.substr(kFloat.size()))});
    }
  }
  return rivals;
}

// A compiled network brings its own engine.
MakeEngine maker_of(const BenchArguments& o) {
  if (!is_compiled(o.model)) return {};
  return [file = o.model, named = engine_named(o.engine)](Program program, const EngineOptions& how) {
    return engine_of(file, named, std::move(program), how);
  };
}

int run_bench(const BenchArguments& o) {
  std::vector<NamedFile> inputs = {{"model", o.model}, {"--input", o.input}};
  for (const std::string& name : o.against)
    if (name.starts_with(kFloat)) inputs.push_back({"--against", name.substr(kFloat.size())});
  check_outputs(inputs, {{"--plot", o.plot}, {"--json", o.json}});
  const Policy policy = policy_named(o.policy);
  engine_named(o.engine);
  const std::vector<std::int64_t> threads = positive_numbers("--threads", o.threads);
  check_rivals(o.against);
  if (!(o.seconds > 0)) fail(ErrorCode::kUsage, "--seconds wants a time above 0, and not {}", o.seconds);
  const Model model = load_model_named(o.model, o.dims);
  const std::vector<Rival> rivals = rivals_of(o.against, model);
  const std::vector<NamedTensors> batches = o.input.empty()
                                                ? random_batches(model, positive_numbers("--batch", o.batches), o.seed)
                                                : std::vector{inputs_for(model, {.file = o.input})};
  const std::vector<Measurement> measurements =
      measure_settings(model, batches, threads,
                       {.policy = policy,
                        .engine = is_compiled(o.model) ? "compiled" : o.engine,
                        .make_engine = maker_of(o),
                        .rivals = rivals,
                        .python = python_or_default(o.python),
                        .seconds = o.seconds,
                        .progress = progress_line("measuring")});
  if (!o.plot.empty())
    write_file(o.plot, bench_picture(measurements, std::filesystem::path(shown_name(o.model)).filename().string()));
  if (o.json.empty())
    print(bench_text(measurements, o.steps, terminal_width()));
  else
    write_json(bench_json(measurements, {.model = o.model, .policy = o.policy, .engine = o.engine}), o.json);
  return kFine;
}

}  // namespace

Command bench_command(Parser& parser) {
  CommandLine line =
      parser.command("bench", "Measure speed beside other runtimes, and how much of their results is exact");
  auto o = std::make_shared<BenchArguments>();
  add_runnable_operand(line, o->model);
  line.option("--against", o->against,
              "Contenders beside Octet: onnxruntime (as by default, and in its exact mode), openvino, and float=MODEL, "
              "a float network on the same inputs",
              "A,B")
      .separated_by(',')
      .once_each();
  line.option("--threads", o->threads, "Numbers of threads of every contender; 1 if not said", "N,M")
      .separated_by(',')
      .once_each();
  line.option("--batch", o->batches, "Sizes of the inputs' first dimension, where that is a symbol; 1 if not said",
              "N,M")
      .separated_by(',')
      .once_each();
  line.option("--input", o->input, "Inputs by name (.npz), the only input (.npy), or an image (.jpg, .png)", "FILE");
  line.option("--random", o->seed, "Make up the inputs, if none are given; seed 1 if not said", "SEED");
  add_dim_option(line, o->dims);
  line.option("--seconds", o->seconds, "How long each contender runs in each setting; 1 if not said", "SECONDS");
  add_engine_option(line, o->engine);
  add_policy_option(line, o->policy);
  add_python_option(line, o->python, "numpy and what --against names");
  line.flag("--steps", o->steps, "Also list the steps of Octet: their kernels, times, and share of the CPU's peak");
  line.option("--plot", o->plot, "Draw the time per sample (.svg)", "FILE").ends_in({".svg"});
  add_json_option(line, o->json);
  line.example(
      "  octet bench resnet8_int8.onnx --against onnxruntime,openvino,float=resnet8.onnx --threads 1,2 --batch 1,32\n"
      "  octet bench resnet8_int8.onnx --steps");
  return {line,
          [o, line] {
            refuse_unused(line, {{!o->input.empty(), {"--random", "--batch"}, "--input gives the inputs"},
                                 {o->against.empty(), {"--python"}, "without --against nobody asks it"},
                                 {!o->json.empty(), {"--steps"}, "--json has it all"}});
            refuse_engine_options(line, {o->model});
            return run_bench(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
