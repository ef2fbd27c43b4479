// compare.cc: octet compare
#include <fmt/core.h>

#include <set>

#include "cli/command.h"
#include "cli/compare_dumps.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/run_inputs.h"
#include "cli/several_inputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "cli/witness.h"
#include "octet/base/fail.h"
#include "octet/base/npz.h"
#include "octet/base/table.h"
#include "octet/program/lower.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/verify/difference.h"
#include "octet/verify/verification_json.h"
#include "octet/verify/verification_text.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct CompareArguments {
  std::string golden, mine, model, json, policy = "exact", engine = kDefaultEngine;
  bool all = false;
  int threads = 0;
};

// Without a model: array by array, in the order of their names.
// One pair of arrays after the other: all of them may take more memory than there is.
int compare_arrays(const CompareArguments& options) {
  const NpzReader golden(options.golden), mine(options.mine);
  const std::set<std::string> tensors(golden.names().begin(), golden.names().end());
  const std::set<std::string> others(mine.names().begin(), mine.names().end());
  Table table({{"tensor", Table::Fit::kShorten, false, 16},
               {"elements", Table::Fit::kWhole, true},
               {"differing", Table::Fit::kWhole, true},
               {"largest", Table::Fit::kWrap},
               {"first"}});
  Json list = Json::array();
  std::int64_t common = 0, elements = 0, differing = 0;
  bool equal = true;
  for (const std::string& tensor : tensors) {
    if (!others.contains(tensor)) {
      equal = false;
      table.add({tensor, "", "", "missing", ""});
      list.push_back({{"tensor", tensor}, {"missing", true}});
      continue;
    }
    const Tensor values = golden.read(tensor);
    const Difference found = difference(values, mine.read(tensor));
    ++common;
    elements += found.elements;
    differing += static_cast<std::int64_t>(found.differing.size());
    equal = equal && found.equal();
    const std::string first =
        found.differing.empty() ? "" : element_name("", index_at(values.shape(), found.differing.front()));
    if (options.all || !found.equal())
      table.add({tensor, grouped(found.elements), grouped(static_cast<std::int64_t>(found.differing.size())),
                 found.wrong.empty() ? fmt::format("{}", found.largest) : found.wrong, first});
    list.push_back({{"tensor", tensor},
                    {"elements", found.elements},
                    {"differing", found.differing.size()},
                    {"largest", json_number(found.largest)},
                    {"wrong", found.wrong.empty() ? Json() : Json(found.wrong)}});
  }
  if (common == 0) fail(ErrorCode::kUsage, "{} and {} have no array in common", options.golden, options.mine);
  if (options.json.empty())
    print((table.empty() ? "" : table.text(terminal_width()) + "\n") +
          fmt::format("{} in common, {} compared, {} differing\n", counted(common, "array"),
                      counted(elements, "element"), grouped(differing)));
  else
    write_json(json_text({{"schema", "octet.compare/1"}, {"octet", kVersion}, {"equal", equal}, {"tensors", list}}),
               options.json);
  return equal ? kFine : kDiffers;
}

// Says which arrays are left out because the program has no value of their name.
void note_unknown(const Program& program, const std::string& file, const NamedTensors& arrays) {
  std::set<std::string_view> known;
  for (const ProgramValue& value : program.values) known.insert(value.name);
  std::vector<std::string> unknown;
  for (const auto& [name, tensor] : arrays)
    if (!known.contains(name)) unknown.push_back(name);
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
  Verifier verifier(*engine, Floats::kWithinTolerance, describe_witnesses(*engine));
  verifier.add_dumps(golden, mine);
  const Verification& found = verifier.result();
  if (options.json.empty())
    print(verification_text(found, program, options.all, terminal_width()));
  else
    write_json(json_text({{"schema", "octet.compare/1"},
                          {"octet", kVersion},
                          {"equal", found.agrees()},
                          {"model", options.model},
                          {"policy", options.policy},
                          {"engine", options.engine},
                          {"comparison", verification_json(found, program)}}),
               options.json);
  return found.agrees() ? kFine : kDiffers;
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
  line.option("--layout", dumps->layout, "Of these files: chw (else) or hwc", "NAME");
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
  return {line, [options, dumps, line] {
            const bool of_model = !dumps->against.empty();
            refuse_unused(
                line, {{of_model, {"--model", "mine"}, "with --against there are a model and what others made of it"},
                       {!of_model, {"--input", "--random", "--dim", "--layout", "--word"}, "it is about --against"},
                       {!of_model && options->model.empty(),
                        {"--policy", "--engine", "--threads"},
                        "without --model there is no program"},
                       {!options->json.empty(), {"--all"}, "--json has it all"}});
            if (!of_model) {
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
          }};
}

}  // namespace octet::cli
