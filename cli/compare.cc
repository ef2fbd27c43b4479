// compare.cc: octet compare
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/witness.h"
#include "octet/base/fail.h"
#include "octet/base/npz.h"
#include "octet/base/table.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/report/json.h"
#include "octet/report/numbers.h"
#include "octet/verify/difference.h"
#include "octet/verify/support/verification_text.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct Options {
  std::string golden, mine, model, json, policy = "exact";
  bool all = false;
};

// Without a model: array by array, in the order of their names.
int compare_arrays(const Options& options, const NamedTensors& golden, const NamedTensors& mine) {
  Table table({{"tensor", Table::Fit::kShorten, false, 16},
               {"elements", Table::Fit::kWhole, true},
               {"differing", Table::Fit::kWhole, true},
               {"largest"},
               {"first"}});
  Json list = Json::array();
  std::int64_t common = 0, elements = 0, differing = 0;
  bool equal = true;
  for (const auto& [tensor, values] : golden) {
    const auto other = mine.find(tensor);
    if (other == mine.end()) {
      equal = false;
      table.add({tensor, "", "", "missing", ""});
      list.push_back({{"tensor", tensor}, {"missing", true}});
      continue;
    }
    const Difference found = difference(values, other->second);
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

int run(const Options& options) {
  const NamedTensors golden = load_npz(options.golden);
  const NamedTensors mine = load_npz(options.mine);
  if (options.model.empty()) return compare_arrays(options, golden, mine);
  const ReferenceEngine engine(lower(load_model(options.model), policy_named(options.policy)));
  Verifier verifier(engine);
  verifier.add_dumps(golden, mine);
  const Verification& found = verifier.result();
  if (options.json.empty())
    print(verification_text(found, engine.program(), options.all, terminal_width()) + explanation_of(found, engine));
  else
    write_json(json_text({{"schema", "octet.compare/1"},
                          {"octet", kVersion},
                          {"equal", found.agrees()},
                          {"model", options.model},
                          {"comparison", verification_json(found, engine.program())}}),
               options.json);
  return found.agrees() ? kFine : kDiffers;
}

}  // namespace

Command compare_command(Parser& parser) {
  CommandLine line = parser.command("compare", "Compare two dumps of tensors, and find the first step that differs");
  auto options = std::make_shared<Options>();
  line.option("golden", options->golden, "What is right: an .npz archive, as octet run --all writes it").required();
  line.option("mine", options->mine, "What is in question: an .npz archive").required();
  line.option("--model", options->model, "The .onnx file: order the tensors, check each step on its own inputs",
              "FILE");
  add_policy_option(line, options->policy);
  line.flag("--all", options->all, "List every tensor, not only those that differ");
  add_json_option(line, options->json);
  line.example("  octet compare golden.npz mine.npz --model resnet8_int8.onnx");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
