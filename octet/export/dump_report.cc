#include "octet/export/dump_report.h"

#include <fmt/core.h>

#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"
#include "octet/export/support/first_names.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet {
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

bool has_several(const DumpReport& of) { return of.dumps.inputs.size() > 1; }

// "for input 1, image.npy, "; empty where there is one.
std::string place_of(const DumpReport& of, const DumpVerdict& verdict) {
  if (!has_several(of)) return "";
  return of.inputs.empty() ? fmt::format("for input {} ", verdict.input)
                           : fmt::format("for input {}, {}, ", verdict.input, of.inputs[verdict.input].source);
}

std::string sentence_of(const DumpReport& of) {
  const DumpComparison& found = of.found;
  std::int64_t elements = 0;
  for (const DumpVerdict& verdict : found.verdicts)
    if (verdict.compared()) elements += verdict.found.size();
  std::string text =
      fmt::format("{} of {}{} compared, {}", grouped(static_cast<std::int64_t>(found.compared)),
                  counted(static_cast<std::int64_t>(found.tensors), "tensor"),
                  has_several(of) ? " for " + counted(static_cast<std::int64_t>(of.dumps.inputs.size()), "input") : "",
                  counted(elements, "element"));
  const DumpVerdict* wrong = found.first_wrong();
  if (!wrong) return text + (found.compared == 0 ? "" : ": equal") + "\n";
  if (wrong->judged().equal())
    return text + fmt::format(", differs {}in {}: {}\n", place_of(of, *wrong), wrong->tensor, state_of(*wrong));
  const FirstElement first = first_element(*wrong);
  return text + fmt::format(", differs {}in {} at {}: {}, wanted {}\n{} of its {} differ; step {}{}\n",
                            place_of(of, *wrong), wrong->tensor, to_string(first.index), first.found, first.wanted,
                            grouped(static_cast<std::int64_t>(wrong->judged().differing.size())),
                            counted(wrong->found.size(), "element"), of.engine.program().steps[wrong->step].name,
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

Json dump_verdict_json(const DumpVerdict& verdict, const Program& program) {
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

}  // namespace

std::string dumps_text(const DumpReport& of, const DumpReportStyle& style) {
  const DumpComparison& found = of.found;
  octet::Table table({{"input", octet::Table::Fit::kWhole, true},
                      {"tensor", octet::Table::Fit::kShorten, false, 16},
                      {"file", octet::Table::Fit::kShorten},
                      {"differing", octet::Table::Fit::kWhole, true},
                      {"", octet::Table::Fit::kWrap}});
  for (const DumpVerdict& verdict : found.verdicts)
    if (style.all || !verdict.compared() || !verdict.equal())
      table.add({has_several(of) ? fmt::format("{}", verdict.input) : "", verdict.tensor, verdict.file,
                 verdict.end_to_end ? grouped(static_cast<std::int64_t>(verdict.end_to_end->differing.size()))
                 : verdict.alone    ? grouped(static_cast<std::int64_t>(verdict.alone->differing.size()))
                                    : "",
                 state_of(verdict)});
  std::string text = sentence_of(of);
  const DumpVerdict* wrong = found.first_wrong();
  if (wrong) text += layout_hint(*wrong, style.layout);
  if (!found.missing.empty()) text += "not there: " + first_names(found.missing) + "\n";
  if (!of.dumps.unmatched.empty()) text += "no tensor of the program: " + first_names(of.dumps.unmatched) + "\n";
  if (!table.empty()) text += "\n" + table.text(style.width);
  if (wrong && !wrong->judged().equal())
    text += "\n" + explanation_text(explain_element(of.engine.program(), wrong->step, wrong->tensor,
                                                    first_element(*wrong).index, wrong->inputs),
                                    {.width = style.width});
  return text;
}

std::string dumps_json(const DumpReport& of, const CompareSource& source) {
  Json verdicts = Json::array();
  for (const DumpVerdict& verdict : of.found.verdicts)
    verdicts.push_back(dump_verdict_json(verdict, of.engine.program()));
  return json_text({{"schema", "octet.compare/1"},
                    {"octet", kVersion},
                    {"equal", of.found.equal},
                    {"model", source.model},
                    {"policy", source.policy},
                    {"engine", source.engine},
                    {"dumps",
                     {{"inputs", of.dumps.inputs.size()},
                      {"tensors", of.found.tensors},
                      {"compared", of.found.compared},
                      {"verdicts", verdicts},
                      {"missing", of.found.missing},
                      {"unmatched", of.dumps.unmatched}}}});
}

}  // namespace octet
