#include "cli/compare_dumps.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/terminal.h"
#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"
#include "octet/base/fail.h"
#include "octet/base/table.h"
#include "octet/export/dumps.h"
#include "octet/program/lower.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/verify/difference.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

// A dumped tensor beside what Octet computes.
struct DumpVerdict {
  std::string tensor, file;
  std::size_t step = 0;
  std::optional<Difference> end_to_end;  // from the network's inputs, where they are given
  std::optional<Difference> alone;       // from what was dumped of all that its step reads
  Tensor found, wanted;                  // wanted by `alone` where there is one
  NamedTensors inputs;                   // of the step, that give `wanted`

  const Difference& judged() const { return alone ? *alone : *end_to_end; }
  bool compared() const { return alone || end_to_end; }
  bool equal() const { return (!alone || alone->equal()) && (!end_to_end || end_to_end->equal()); }
  // What it was made from is already wrong, and the step is right.
  bool follows() const { return alone && alone->equal() && !equal(); }
};

struct DumpComparison {
  std::vector<DumpVerdict> verdicts;  // in the program's order
  std::vector<std::string> missing;   // tensors of the program that are not there
  std::size_t tensors = 0, compared = 0;
  bool equal = true;
};

class DumpComparer {
 public:
  DumpComparer(const Engine& engine, const Dumps& dumps, const NamedTensors& golden)
      : engine_(engine), dumps_(dumps), golden_(golden) {}

  DumpComparison compare() {
    const Program& program = engine_.program();
    for (std::size_t step = 0; step < program.steps.size(); ++step)
      for (const ValueId value : outputs_of(program, program.steps[step])) add(step, program.values[value].name);
    return std::move(result_);
  }

 private:
  void add(std::size_t step, const std::string& tensor) {
    ++result_.tensors;
    const auto dumped = dumps_.tensors.find(tensor);
    if (dumped == dumps_.tensors.end()) {
      result_.missing.push_back(tensor);
      return;
    }
    DumpVerdict verdict{.tensor = tensor, .file = dumps_.files.at(tensor), .step = step, .found = dumped->second};
    if (const auto golden = golden_.find(tensor); golden != golden_.end()) {
      verdict.end_to_end = difference(golden->second, dumped->second);
      verdict.wanted = golden->second;
      verdict.inputs = golden_;
    }
    if (const std::optional<NamedTensors> own = dumped_inputs(step)) {
      verdict.wanted = engine_.run_step(step, *own).at(tensor);
      verdict.alone = difference(verdict.wanted, dumped->second);
      verdict.inputs = *own;
    }
    result_.compared += verdict.compared() ? 1 : 0;
    result_.equal = result_.equal && verdict.equal();
    result_.verdicts.push_back(std::move(verdict));
  }

  // What the step reads, if all of it was dumped or belongs to the network's inputs.
  std::optional<NamedTensors> dumped_inputs(std::size_t step) const {
    const Program& program = engine_.program();
    NamedTensors inputs;
    for (const ValueId value : inputs_of(program, program.steps[step])) {
      const std::string& name = program.values[value].name;
      const bool given = std::ranges::any_of(program.inputs, [&](const ProgramInput& in) { return in.value == value; });
      const NamedTensors& from = given && !dumps_.tensors.contains(name) ? golden_ : dumps_.tensors;
      const auto found = from.find(name);
      if (found == from.end()) return std::nullopt;
      inputs.insert(*found);
    }
    return inputs;
  }

  const Engine& engine_;
  const Dumps& dumps_;
  const NamedTensors& golden_;
  DumpComparison result_;
};

// The first whose step is wrong; else the first that differs.
const DumpVerdict* first_wrong(const DumpComparison& found) {
  const DumpVerdict* first = nullptr;
  for (const DumpVerdict& verdict : found.verdicts) {
    if (!verdict.compared() || verdict.equal()) continue;
    if (!verdict.follows()) return &verdict;
    if (!first) first = &verdict;
  }
  return first;
}

struct FirstElement {
  Shape index;
  std::string found, wanted;
};
FirstElement first_element(const DumpVerdict& verdict) {
  const std::int64_t element = verdict.judged().differing.front();
  return {index_at(verdict.found.shape(), element), element_text(verdict.found, element),
          element_text(verdict.wanted, element)};
}

std::string state_of(const DumpVerdict& verdict) {
  if (!verdict.compared()) return "not compared: what its step reads is not there";
  if (verdict.follows()) return "differs, but is right for the tensors its step read";
  return verdict.equal() ? "equal" : "differs";
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  return names.size() > kShown ? fmt::format("{}, … ({} in all)", list, names.size()) : list;
}

std::string sentence_of(const DumpComparison& found, const Program& program) {
  std::int64_t elements = 0;
  for (const DumpVerdict& verdict : found.verdicts)
    if (verdict.compared()) elements += verdict.found.size();
  std::string text =
      fmt::format("{} of {} compared, {}", grouped(static_cast<std::int64_t>(found.compared)),
                  counted(static_cast<std::int64_t>(found.tensors), "tensor"), counted(elements, "element"));
  const DumpVerdict* wrong = first_wrong(found);
  if (!wrong) return text + (found.compared == 0 ? "" : ": equal") + "\n";
  if (wrong->judged().equal()) return text + fmt::format(", differs in {}: {}\n", wrong->tensor, state_of(*wrong));
  const FirstElement first = first_element(*wrong);
  return text + fmt::format(", differs in {} at {}: {}, wanted {}\n{} of its {} differ; step {}{}\n", wrong->tensor,
                            to_string(first.index), first.found, first.wanted,
                            grouped(static_cast<std::int64_t>(wrong->judged().differing.size())),
                            counted(wrong->found.size(), "element"), program.steps[wrong->step].name,
                            wrong->alone ? ", on the tensors that were dumped" : "");
}

// A tensor that was dumped in the other layout is the commonest reason for very many differences.
std::string layout_hint(const DumpVerdict& verdict, Layout read_as) {
  const Layout other = read_as == Layout::kChw ? Layout::kHwc : Layout::kChw;
  const Shape& shape = verdict.found.shape();
  const Tensor as_in_file = to_stored(read_as, verdict.found);
  const Tensor turned = from_stored(other, as_in_file.reshaped(stored_shape(other, shape)), shape);
  return turned.identical(verdict.wanted) ? fmt::format("it is equal in the other layout: --layout {}\n", name(other))
                                          : "";
}

std::string dumps_text(const DumpComparison& found, const Dumps& dumps, const Engine& engine,
                       const DumpArguments& options) {
  Table table({{"tensor", Table::Fit::kShorten, false, 16},
               {"file", Table::Fit::kShorten},
               {"differing", Table::Fit::kWhole, true},
               {"", Table::Fit::kWrap}});
  for (const DumpVerdict& verdict : found.verdicts)
    if (options.all || !verdict.compared() || !verdict.equal())
      table.add({verdict.tensor, verdict.file,
                 verdict.end_to_end ? grouped(static_cast<std::int64_t>(verdict.end_to_end->differing.size()))
                 : verdict.alone    ? grouped(static_cast<std::int64_t>(verdict.alone->differing.size()))
                                    : "",
                 state_of(verdict)});
  std::string text = sentence_of(found, engine.program());
  const DumpVerdict* wrong = first_wrong(found);
  if (wrong) text += layout_hint(*wrong, layout_named(options.layout));
  if (!found.missing.empty()) text += "not there: " + first_names(found.missing) + "\n";
  if (!dumps.unmatched.empty()) text += "no tensor of the program: " + first_names(dumps.unmatched) + "\n";
  if (!table.empty()) text += "\n" + table.text(terminal_width());
  if (wrong && !wrong->judged().equal())
    text += "\n" + explanation_text(explain_element(engine.program(), wrong->step, wrong->tensor,
                                                    first_element(*wrong).index, wrong->inputs),
                                    {.width = terminal_width()});
  return text;
}

Json verdict_json(const DumpVerdict& verdict, const Program& program) {
  const auto count = [](const std::optional<Difference>& of) { return of ? Json(of->differing.size()) : Json(); };
  Json first;
  if (verdict.compared() && !verdict.judged().equal()) {
    const FirstElement element = first_element(verdict);
    first = {{"index", element.index}, {"found", element.found}, {"wanted", element.wanted}};
  }
  return {{"tensor", verdict.tensor},
          {"file", verdict.file},
          {"step", program.steps[verdict.step].name},
          {"elements", verdict.found.size()},
          {"differing", count(verdict.end_to_end)},
          {"differing_alone", count(verdict.alone)},
          {"first", first}};
}

Json dumps_json(const DumpComparison& found, const Dumps& dumps, const DumpArguments& options, const Engine& engine) {
  Json verdicts = Json::array();
  for (const DumpVerdict& verdict : found.verdicts) verdicts.push_back(verdict_json(verdict, engine.program()));
  return {{"schema", "octet.compare/1"},
          {"octet", kVersion},
          {"equal", found.equal},
          {"model", options.model},
          {"policy", options.policy},
          {"engine", engine.name()},
          {"dumps",
           {{"tensors", found.tensors},
            {"compared", found.compared},
            {"verdicts", verdicts},
            {"missing", found.missing},
            {"unmatched", dumps.unmatched}}}};
}

}  // namespace

int compare_dumps(const DumpArguments& options) {
  std::vector<NamedFile> inputs = {{"model", options.model}, {"--input", options.inputs.file}};
  for (const std::string& path : options.against) inputs.push_back({"--against", path});
  check_outputs(inputs, {{"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const DumpStyle style{layout_named(options.layout), options.word};
  const NamedEngine& named = engine_for(options.engine, {});
  const Model model = with_batch_of_one(load_model_named(options.model, options.dims));
  const auto engine = make_engine(named, lower(model, policy), {.threads = options.threads});
  const Dumps dumps = read_dumps(engine->program(), options.against, style);
  if (dumps.tensors.empty())
    fail(ErrorCode::kUsage, "none of these is a tensor of the program: {}", first_names(dumps.unmatched));
  if (options.word > 0 && !dumps.has_words)
    fail(ErrorCode::kUsage, "--word is not used: none of these files is of words, .hex or .mem");
  NamedTensors golden;
  if (!options.inputs.file.empty() || options.inputs.seed) {
    golden = inputs_for(model, options.inputs);
    NamedTensors values = engine->run(golden, {.keep_all = true, .progress = progress_line("steps")});
    golden.merge(values);
  }
  const DumpComparison found = DumpComparer(*engine, dumps, golden).compare();
  if (found.compared == 0)
    fail(ErrorCode::kUsage,
         "nothing can be compared: give the network's inputs with --input or --random, or dump what "
         "a step reads beside what it makes");
  if (options.json.empty())
    print(dumps_text(found, dumps, *engine, options));
  else
    write_json(json_text(dumps_json(found, dumps, options, *engine)), options.json);
  return found.equal ? kFine : kDiffers;
}

}  // namespace octet::cli
