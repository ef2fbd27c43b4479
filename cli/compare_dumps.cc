#include "cli/compare_dumps.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"
#include "octet/base/fail.h"
#include "octet/export/dump_comparison.h"
#include "octet/export/dumps.h"
#include "octet/graph/default_dimensions.h"
#include "octet/program/lower.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

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
  if (verdict.end_to_end && verdict.end_to_end->equal() && !verdict.equal())
    return "right for the network's inputs, but not for the tensors its step read";
  return verdict.equal() ? "equal" : "differs";
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  return names.size() > kShown ? fmt::format("{}, … ({} in all)", list, names.size()) : list;
}

// The dumps, and the network's inputs that they were made from: as many as there are dumps of, or none.
struct DumpedInputs {
  const Dumps& dumps;
  std::vector<VectorInput> inputs;

  bool several() const { return dumps.inputs.size() > 1; }
  // "for input 1, image.npy, "; empty where there is one.
  std::string place_of(const DumpVerdict& verdict) const {
    if (!several()) return "";
    return inputs.empty() ? fmt::format("for input {} ", verdict.input)
                          : fmt::format("for input {}, {}, ", verdict.input, inputs[verdict.input].source);
  }
};

std::string sentence_of(const DumpComparison& found, const DumpedInputs& of, const Program& program) {
  std::int64_t elements = 0;
  for (const DumpVerdict& verdict : found.verdicts)
    if (verdict.compared()) elements += verdict.found.size();
  std::string text =
      fmt::format("{} of {}{} compared, {}", grouped(static_cast<std::int64_t>(found.compared)),
                  counted(static_cast<std::int64_t>(found.tensors), "tensor"),
                  of.several() ? " for " + counted(static_cast<std::int64_t>(of.dumps.inputs.size()), "input") : "",
                  counted(elements, "element"));
  const DumpVerdict* wrong = found.first_wrong();
  if (!wrong) return text + (found.compared == 0 ? "" : ": equal") + "\n";
  if (wrong->judged().equal())
    return text + fmt::format(", differs {}in {}: {}\n", of.place_of(*wrong), wrong->tensor, state_of(*wrong));
  const FirstElement first = first_element(*wrong);
  return text + fmt::format(", differs {}in {} at {}: {}, wanted {}\n{} of its {} differ; step {}{}\n",
                            of.place_of(*wrong), wrong->tensor, to_string(first.index), first.found, first.wanted,
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

std::string dumps_text(const DumpComparison& found, const DumpedInputs& of, const Engine& engine,
                       const DumpArguments& options) {
  Table table({{"input", Table::Fit::kWhole, true},
               {"tensor", Table::Fit::kShorten, false, 16},
               {"file", Table::Fit::kShorten},
               {"differing", Table::Fit::kWhole, true},
               {"", Table::Fit::kWrap}});
  for (const DumpVerdict& verdict : found.verdicts)
    if (options.all || !verdict.compared() || !verdict.equal())
      table.add({of.several() ? fmt::format("{}", verdict.input) : "", verdict.tensor, verdict.file,
                 verdict.end_to_end ? grouped(static_cast<std::int64_t>(verdict.end_to_end->differing.size()))
                 : verdict.alone    ? grouped(static_cast<std::int64_t>(verdict.alone->differing.size()))
                                    : "",
                 state_of(verdict)});
  std::string text = sentence_of(found, of, engine.program());
  const DumpVerdict* wrong = found.first_wrong();
  if (wrong) text += layout_hint(*wrong, layout_named(options.layout));
  if (!found.missing.empty()) text += "not there: " + first_names(found.missing) + "\n";
  if (!of.dumps.unmatched.empty()) text += "no tensor of the program: " + first_names(of.dumps.unmatched) + "\n";
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
  return {{"input", verdict.input},
          {"tensor", verdict.tensor},
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
           {{"inputs", dumps.inputs.size()},
            {"tensors", found.tensors},
            {"compared", found.compared},
            {"verdicts", verdicts},
            {"missing", found.missing},
            {"unmatched", dumps.unmatched}}}};
}

}  // namespace

int compare_dumps(const DumpArguments& options) {
  std::vector<NamedFile> inputs = {{"model", options.model}};
  for (const std::string& file : options.inputs.files) inputs.push_back({"--input", file});
  for (const std::string& path : options.against) inputs.push_back({"--against", path});
  check_outputs(inputs, {{"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const DumpStyle style{layout_named(options.layout), options.word};
  const EngineOptions engine_options{.threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, engine_options);
  const Model model = with_batch_of_one(load_model_named(options.model, options.dims));
  const auto engine = make_engine(named, lower(model, policy), engine_options);
  const Dumps dumps = read_dumps(engine->program(), options.against, style);
  if (dumps.inputs.empty())
    fail(ErrorCode::kUsage, "none of these is a tensor of the program: {}", first_names(dumps.unmatched));
  if (options.word > 0 && !dumps.has_words)
    fail(ErrorCode::kUsage, "--word is not used: none of these files is of words, .hex or .mem");
  const DumpedInputs of{dumps, inputs_for_each(model, options.inputs)};
  const DumpComparison found = octet::compare_dumps(*engine, dumps, of.inputs, progress_line("steps"));
  if (options.json.empty())
    print(dumps_text(found, of, *engine, options));
  else
    write_json(json_text(dumps_json(found, dumps, options, *engine)), options.json);
  return found.equal ? kFine : kDiffers;
}

}  // namespace octet::cli
