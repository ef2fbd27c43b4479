// tune.cc: octet tune
#include "octet/tune/tune.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/scheme_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/text/fit.h"
#include "octet/text/utf8.h"
#include "octet/tune/tune_report.h"
#include "octet/tune/tune_state.h"

namespace octet::cli {
namespace {

struct TuneArguments {
  std::string model, output, save_rules, state, json, engine = kDefaultEngine;
  SamplesOptions samples;
  std::string calibration_data, test_data;
  bool same_samples = false;
  SchemeOptions limits;
  Goal goal;
  int threads = 0;
};

using Words = std::vector<std::string>;  // of a command, as a shell takes them

// A word as a shell takes it.
std::string shell_word(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The options that say which samples, but for those that change nothing.
void add_samples(Words& words, const SamplesOptions& samples) {
  words.insert(words.end(), {"--data", shell_word(samples.data)});
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, shell_word(value)});
  };
  const auto add_numbers = [&](const char* option, const std::vector<float>& numbers) {
    if (!numbers.empty()) words.insert(words.end(), {option, fmt::format("{}", fmt::join(numbers, ","))});
  };
  add("--labels", samples.labels);
  add("--pixels", samples.pixels);
  add("--channel-order", samples.channel_order);
  add("--resize", samples.resize);
  add("--crop", samples.crop);
  add_numbers("--mean", samples.mean);
  add_numbers("--deviation", samples.deviation);
  if (samples.skip_broken) words.push_back("--skip-broken");
  if (samples.samples > 0) words.insert(words.end(), {"--samples", fmt::format("{}", samples.samples)});
  add("--part", samples.part);
  if (samples.seed) words.insert(words.end(), {"--seed", fmt::format("{}", *samples.seed)});
}

// Who calibrates, who chooses and who judges.
struct Roles {
  SamplesOptions calibrating, choosing;
  std::optional<SamplesOptions> judging;
};

// Of --data, one part for every role that has no samples of its own.
Roles roles_of(const TuneArguments& o) {
  Roles roles{o.samples, o.samples, o.samples};
  if (o.same_samples) return {o.samples, o.samples, std::nullopt};
  std::vector<SamplesOptions*> shared = {&roles.calibrating, &roles.choosing, &*roles.judging};
  const auto give = [&](SamplesOptions& role, const std::string& data) {
    if (data.empty()) return;
    role.data = data;
    role.labels.clear();
    role.samples = 0;
    role.seed.reset();
    std::erase(shared, &role);
  };
  give(roles.calibrating, o.calibration_data);
  give(*roles.judging, o.test_data);
  for (std::size_t i = 0; shared.size() > 1 && i < shared.size(); ++i)
    shared[i]->part = fmt::format("{}/{}", i + 1, shared.size());
  return roles;
}

// Where the layers that are kept stand: they are written only where there are some.
std::string rules_file(const TuneArguments& o) {
  if (!o.save_rules.empty()) return o.save_rules;
  std::filesystem::path beside(o.output);
  beside.replace_filename(beside.stem().string() + "_rules.json");
  return beside.string();
}

bool is_there(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(file, error));
}

// The command that makes the same model without a search.
Words command_for(const TuneArguments& o, const Tuned& tuned) {
  const Scheme& scheme = tuned.tried[tuned.best].scheme;
  Words words = {"octet", "quantize", shell_word(o.model), "-o", shell_word(o.output)};
  add_samples(words, roles_of(o).calibrating);
  words.insert(words.end(), {"--calibration", std::string(name(scheme.calibration))});
  if (const DType activations = static_options(o.limits).activations; activations != DType::kInt8)
    words.insert(words.end(), {"--activations", std::string(name(activations))});
  if (!scheme.per_channel) words.push_back("--per-tensor");
  if (scheme.symmetric) words.push_back("--symmetric-activations");
  if (scheme.repairs.equalize)
    words.push_back(scheme.repairs.equalize == BoundedClamps::kLeave ? "--equalize" : "--equalize=replace-clip");
  if (scheme.repairs.round_weights) words.push_back("--optimize-rounding");
  if (scheme.repairs.biases) words.insert(words.end(), {"--bias-correction", "empirical"});
  if (!tuned.decisions.empty()) words.insert(words.end(), {"--rules", shell_word(rules_file(o))});
  return words;
}

// A command in lines of at most `width` columns where its words allow it, for a shell to take as they are.
std::string shell_lines(const Words& words, std::size_t width) {
  std::string lines, line = " ";
  for (const std::string& word : words) {
    if (line != " " && display_width(line) + 1 + display_width(word) + 2 > width) {
      lines += line + " \\\n";
      line = "   ";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

OtherSamples other_samples(const Roles& roles) {
  const auto open = [](const SamplesOptions& samples) {
    return [samples](const Model& model) { return samples.open(model); };
  };
  if (!roles.judging) return {};
  return {.choosing = open(roles.choosing), .judging = open(*roles.judging)};
}

int run_tune(const TuneArguments& o) {
  const std::vector<NamedFile> outputs = {{"--output", o.output},
                                          {o.save_rules.empty() ? "file of rules" : "--save-rules", rules_file(o)},
                                          {"--state", o.state},
                                          {"--json", o.json}};
  check_outputs({{"model", o.model},
                 {"--data", o.samples.data},
                 {"--calibration-data", o.calibration_data},
                 {"--test-data", o.test_data}},
                outputs);
  require_folders(outputs);
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data");
  require_goal(o.goal);
  engine_named(o.engine);
  if (const std::string rules = rules_file(o); o.save_rules.empty() && is_there(rules))
    fail(ErrorCode::kUsage,
         "there is a {} already, where the rules of layers that are kept would stand; say --save-rules {} to overwrite "
         "it, or name another file",
         rules, rules);
  const Roles roles = roles_of(o);
  const Trials trials = trials_of(o.model, roles.calibrating, {o.engine, o.threads}, other_samples(roles));
  const StaticOptions options{.activations = static_options(o.limits).activations};
  const Tuned tuned = tune_from_state(
      trials,
      {.goal = o.goal,
       .limits = {o.limits.per_tensor, o.limits.symmetric_activations, choice_named<Deployment>(o.limits.target)},
       .quantization = options,
       .runs = trials.runs,
       .progress = progress_line("trying"),
       .judge = trials.judge.get()},
      o.state);
  save_model_named(tuned.model, o.output);
  if (!o.save_rules.empty() || !tuned.decisions.empty()) write_file(rules_file(o), rules_text(tuned.decisions));
  if (!o.json.empty()) {
    write_json(tune_json(tuned, trials, o.model, fmt::format("{}", fmt::join(command_for(o, tuned), " "))), o.json);
  } else {
    print(tune_text(tuned, *trials.baseline, terminal_width(), trials.judge.get()) +
          fmt::format("written to {}; without a search:\n", printable(o.output)));
    print_data(shell_lines(command_for(o, tuned), terminal_width()));
  }
  return tuned.met && tuned.holds ? kFine : kDiffers;
}

}  // namespace

Command tune_command(Parser& parser) {
  CommandLine line = parser.command("tune", "Find the cheapest way to quantize that is good enough, by trying");
  auto o = std::make_shared<TuneArguments>();
  add_model_operand(line, o->model);
  line.option("-o,--output", o->output, "The 8-bit model (.onnx)", "FILE").ends_in({".onnx"}).required();
  add_samples_options(line, o->samples);
  line.option("--calibration-data", o->calibration_data, "Samples that calibrate; else a part of --data", "PATH");
  line.option("--test-data", o->test_data, "Samples that judge what was chosen; else a part of --data", "PATH");
  line.flag("--same-samples", o->same_samples, "All of --data calibrates and chooses; nothing judges");
  line.option("--max-loss", o->goal.max_loss, "Points of accuracy that may be lost, where samples have labels",
              "POINTS");
  line.option("--min-sqnr", o->goal.min_sqnr, "Signal to noise that every output must have; no labels needed", "DB");
  add_scheme_options(line, o->limits);
  line.option("--save-rules", o->save_rules,
              "Rules for octet quantize: the layers that are kept; else beside the output, where there are some",
              "FILE");
  line.option("--state", o->state, "What was tried: an interrupted search goes on from this file", "FILE");
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  add_json_option(line, o->json);
  line.example(
      "  octet tune model.onnx -o int8.onnx --data test_batch.bin --max-loss 0.5\n"
      "  octet tune model.onnx -o int8.onnx --data photos.npz --min-sqnr 25 --per-tensor --save-rules rules.json");
  return {line,
          [o, line] {
            refuse_unused(
                line,
                {{o->same_samples, {"--calibration-data", "--test-data"}, "--same-samples lets --data do all of it"}});
            return run_tune(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
