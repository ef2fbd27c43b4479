// compare.cc: octet compare
#include "cli/command.h"
#include "cli/compare_dumps.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/several_inputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/system/npz.h"
#include "octet/verify/compare_archives.h"
#include "octet/verify/compare_report.h"
#include "octet/verify/compare_runs.h"
#include "octet/verify/verification_text.h"

namespace octet::cli {
namespace {

struct CompareArguments {
  std::string golden, mine, model, json, policy = "exact", engine = kDefaultEngine;
  bool all = false;
  int threads = 0;
};

// Without a model: array by array.
int compare_arrays(const CompareArguments& options) {
  const ArchiveComparison found = compare_archives(options.golden, options.mine);
  if (options.json.empty())
    print(archives_text(found, options.all, terminal_width()));
  else
    write_json(archives_json(found), options.json);
  return found.equal() ? kFine : kDiffers;
}

// Says which arrays are left out because the program has no value of their name.
void note_unknown(const Program& program, const std::string& file, const NamedTensors& arrays) {
  const std::vector<std::string> unknown = unknown_tensors(program, arrays);
  if (unknown.empty()) return;
  print_error(ignored_arrays(file, unknown, "the program does not compute") +
              (program.policy == Policy::kAsWritten ? "" : "; --policy as-written keeps every tensor of the file"));
}

int run_compare(const CompareArguments& options) {
  check_outputs({{"golden file", options.golden}, {"file in question", options.mine}, {"--model", options.model}},
                {{"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const NamedEngine& named = engine_named(options.engine);
  if (options.model.empty()) return compare_arrays(options);
  const NamedTensors golden = load_npz(options.golden);
  const NamedTensors mine = load_npz(options.mine);
  const auto engine = make_engine(named, lower(load_model_named(options.model), policy), {.threads = options.threads});
  const Program& program = engine->program();
  note_unknown(program, options.golden, golden);
  const Verification found = compare_runs(*engine, golden, mine, terminal_width());
  if (options.json.empty())
    print(verification_text(found, program, options.all, terminal_width()));
  else
    write_json(
        comparison_json(found, program, {.model = options.model, .policy = options.policy, .engine = options.engine}),
        options.json);
  return found.agrees() ? kFine : kDiffers;
}

bool is_model_name(const std::string& file) { return file.ends_with(".onnx") || file.ends_with(".so"); }

// Models in the place of dumps.
void refuse_models(const CompareArguments& o) {
  if (is_model_name(o.golden) && is_model_name(o.mine))
    fail(ErrorCode::kUsage,
         "{0} and {1} are models, and octet compare takes dumps of tensors (.npz); octet loss {0} {1} --data SAMPLES "
         "says what they "
         "compute differently, octet evaluate {1} --baseline {0} --data SAMPLES whose answers are right",
         o.golden, o.mine);
  if (is_model_name(o.golden))
    fail(ErrorCode::kUsage, "{0} is a model; say octet compare {0} --against {1}, and how its inputs came about",
         o.golden, o.mine.empty() ? "FILES" : o.mine);
  if (is_model_name(o.mine))
    fail(ErrorCode::kUsage, "{0} is a model; say octet compare {0} --against {1}, and how its inputs came about",
         o.mine, o.golden);
}

}  // namespace

Command compare_command(Parser& parser) {
  CommandLine line = parser.command("compare", "Compare two dumps of tensors, and find the first step that differs");
  auto options = std::make_shared<CompareArguments>();
  auto dumps = std::make_shared<DumpArguments>();
  line.option("golden", options->golden,
              "What is right: an .npz archive, as octet run --all writes it; with --against the .onnx file")
      .required();
  line.option("mine", options->mine, "What is in question: an .npz archive");
  line.option("--model", options->model, "The .onnx file: order the tensors, check each step on its own inputs",
              "FILE");
  line.option("--against", dumps->against,
              "What is in question, of the model's tensors: files (.bin, .hex, .npy, .npz) or folders of them", "PATH")
      .takes(1, 4096);
  add_several_inputs(line, dumps->inputs, ", of each input that was dumped");
  add_dim_option(line, dumps->dims);
  line.option("--layout", dumps->layout, "Of these files: chw (default) or hwc", "NAME");
  line.option("--word", dumps->word, "Bytes of a word in .hex files; else what their digits say", "BYTES")
      .within(1, 4096);
  add_policy_option(line, options->policy);
  line.flag("--all", options->all, "List every tensor, not only those that differ");
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  add_json_option(line, options->json);
  line.example(
      "  octet compare golden.npz mine.npz --model resnet8_int8.onnx\n"
      "  octet compare resnet8_int8.onnx --against dumps --input image.npy --layout hwc");
  return {line,
          [options, dumps, line] {
            const bool of_model = !dumps->against.empty();
            refuse_unused(
                line, {{of_model, {"--model", "mine"}, "with --against there are a model and what others made of it"},
                       {!of_model, {"--input", "--random", "--dim", "--layout", "--word"}, "it is about --against"},
                       {!of_model && options->model.empty(),
                        {"--policy", "--engine", "--threads"},
                        "without --model there is no program"},
                       {!options->json.empty(), {"--all"}, "--json has it all"}});
            if (!of_model) {
              refuse_models(*options);
              if (options->mine.empty()) fail(ErrorCode::kUsage, "name two archives, or a model and --against");
              return run_compare(*options);
            }
            dumps->model = options->golden;
            dumps->policy = options->policy;
            dumps->engine = options->engine;
            dumps->json = options->json;
            dumps->threads = options->threads;
            dumps->all = options->all;
            return compare_dumps(*dumps);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
