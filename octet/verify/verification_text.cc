#include "octet/verify/verification_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/verify/difference.h"
#include "octet/verify/verification_json.h"

namespace octet {
namespace {

struct Totals {
  std::int64_t tensors = 0, elements = 0, differing = 0, near_ties = 0, saturated = 0, integers = 0;
  double largest = 0;  // LSB
};

Totals totals_of(const std::vector<TensorVerdict>& verdicts) {
  Totals totals;
  for (const TensorVerdict& verdict : verdicts) {
    ++totals.tensors;
    totals.elements += verdict.elements;
    totals.differing += verdict.differing;
    totals.near_ties += verdict.near_ties;
    totals.saturated += verdict.saturated;
    if (!verdict.is_float) {
      totals.integers += verdict.elements;
      totals.largest = std::max(totals.largest, verdict.largest);
    }
  }
  return totals;
}

std::string largest_text(const TensorVerdict& verdict) {
  if (!verdict.wrong.empty()) return verdict.wrong;
  if (verdict.is_float) return fmt::format("{:.3g} (tolerance {:.3g})", verdict.largest, verdict.tolerance);
  return verdict.largest == 0 ? "" : fmt::format("{} LSB", verdict.largest);
}

std::string verdicts_table(const std::vector<TensorVerdict>& verdicts, const Program& program, bool all,
                           std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 16},
               {"tensor", Table::Fit::kShorten, false, 16},
               {"judge's operator", Table::Fit::kShorten, false, 16},
               {"elements", Table::Fit::kWhole, true},
               {"differing", Table::Fit::kWhole, true},
               {"saturated", Table::Fit::kWhole, true},
               {"near ties", Table::Fit::kWhole, true},
               {"largest", Table::Fit::kWrap}});
  for (const TensorVerdict& verdict : verdicts) {
    if (!all && verdict.equal() && verdict.near_ties == 0) continue;
    table.add({program.steps[verdict.step].name, verdict.tensor, verdict.computed_by, grouped(verdict.elements),
               verdict.wrong.empty() ? grouped(verdict.differing) : "not compared",
               verdict.saturated > 0 ? grouped(verdict.saturated) : "",
               verdict.near_ties > 0 ? grouped(verdict.near_ties) : "", largest_text(verdict)});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string operators_text(const Verification& verification) {
  std::string text;
  for (const auto& [op, count] : verification.operators)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, op);
  return text;
}

std::string totals_text(const Totals& totals) {
  std::string text = fmt::format("{} compared, {} of integers, {} differing", counted(totals.elements, "element"),
                                 grouped(totals.integers), grouped(totals.differing));
  if (totals.differing > 0 && totals.largest > 0) text += fmt::format(", by {} LSB at most", totals.largest);
  if (totals.saturated > 0)
    text += fmt::format(", {} of them what pairs of products give that saturate at 16 bits", grouped(totals.saturated));
  if (totals.near_ties > 0)
    text += fmt::format(", {} computed in float by the judge and one off within float error of a tie",
                        grouped(totals.near_ties));
  return text;
}

std::string verdict_text(const Verification& verification, const Program& program) {
  if (verification.identical()) return "equal";
  if (!verification.missing.empty())
    return fmt::format("not verified: {} did not give {}, or gave another constant", verification.other,
                       verification.missing.front());
  if (verification.agrees()) return "equal but for the roundings of float computations, and what follows from them";
  if (verification.differs_by_saturation()) {
    const Totals steps = totals_of(verification.steps);
    return fmt::format("differs by saturation alone: {} saturated {} of {}",
                       verification.runtime.empty() ? verification.other : verification.runtime,
                       grouped(steps.saturated), counted(steps.elements, "element"));
  }
  for (const TensorVerdict& verdict : verification.steps)
    if (!verdict.equal()) return fmt::format("differs, first in step {}", program.steps[verdict.step].name);
  return fmt::format("differs from end to end, though every step agrees on the tensors of {}", verification.other);
}

std::string left_out_text(const LeftOut& left_out) {
  return fmt::format("{} of ONNX Runtime, because it changes numbers: {}. With it, {} in one batch",
                     left_out.rewrite.optimizer, left_out.rewrite.what,
                     left_out.differing == 1 ? "1 element differs" : grouped(left_out.differing) + " elements differ");
}

Json verdicts_json(const std::vector<TensorVerdict>& verdicts, const Program& program) {
  Json list = Json::array();
  for (const TensorVerdict& verdict : verdicts)
    list.push_back({{"tensor", verdict.tensor},
                    {"step", program.steps[verdict.step].name},
                    {"computed_by", verdict.computed_by.empty() ? Json() : Json(verdict.computed_by)},
                    {"float", verdict.is_float},
                    {"elements", verdict.elements},
                    {"differing", verdict.differing},
                    {"saturated", verdict.saturated},
                    {"near_ties", verdict.near_ties},
                    {"largest", json_number(verdict.largest)},
                    {"tolerance", json_number(verdict.tolerance)},
                    {"wrong", verdict.wrong.empty() ? Json() : Json(verdict.wrong)}});
  return list;
}

}  // namespace

std::string saturation_text(const SaturationTrial& trial) {
  const Witness& first = trial.first;
  return fmt::format(
      "On this machine ONNX Runtime saturates without session.x64quantprecision: {} of {} differ in the first batch.\n"
      "{}: exactly {}, saturated {}; {}\n",
      grouped(trial.saturated), counted(trial.integers, "integer"), element_name(first.tensor, first.index),
      element_text(first.ours, 0), element_text(first.theirs, 0), first.note);
}

std::string verification_text(const Verification& verification, const Program& program, bool all, std::size_t width) {
  const Totals whole = totals_of(verification.end_to_end), steps = totals_of(verification.steps);
  const std::string end_to_end = verdicts_table(verification.end_to_end, program, all, width);
  const std::string by_step = verdicts_table(verification.steps, program, all, width);
  std::string text;
  if (!end_to_end.empty()) text += "End to end:\n" + end_to_end;
  if (!by_step.empty()) text += "Each step on the tensors of " + printable(verification.other) + ":\n" + by_step;
  for (const Witness& witness : verification.witnesses) {
    const std::string which = element_name(witness.tensor, witness.index), ours = element_text(witness.ours, 0),
                      theirs = element_text(witness.theirs, 0);
    text += witness.saturated ? fmt::format("{}: exactly {}, saturated {}", which, ours, theirs)
                              : fmt::format("{}: Octet {}, {} {}", which, ours, printable(verification.other), theirs);
    text += witness.note.empty() ? "\n" : "; " + printable(witness.note) + "\n";
    const Step& step = program.steps[witness.step];
    if (!is_quantized(step.kind) && !step.reason.empty())
      text += fmt::format("  Octet computes {} in float: {}\n", printable(step.name), printable(step.reason));
  }
  if (!verification.witnesses.empty()) text += "\n";
  Table table({{""}, {"", Table::Fit::kWrap}});
  if (!verification.runtime.empty()) table.add({"judge", verification.runtime});
  if (!verification.operators.empty()) table.add({"executed", operators_text(verification)});
  std::string compared =
      fmt::format("{} in {}", counted(whole.tensors, "tensor"),
                  verification.batches == 1 ? "1 batch" : grouped(verification.batches) + " batches");
  if (verification.runs > verification.batches) compared += fmt::format(", {}", counted(verification.runs, "run"));
  for (const LeftOut& left_out : verification.left_out) table.add({"left out", left_out_text(left_out)});
  table.add({"compared", compared});
  table.add({"end to end", totals_text(whole)});
  table.add({"by step", totals_text(steps)});
  table.add({"verdict", verdict_text(verification, program)});
  text += table.text(width);
  if (!verification.witnesses.empty() && !verification.witnesses.front().explanation.empty())
    text += "\n" + verification.witnesses.front().explanation;
  return text;
}

Json verification_json(const Verification& verification, const Program& program) {
  Json witnesses = Json::array();
  for (const Witness& witness : verification.witnesses)
    witnesses.push_back({{"step", program.steps[witness.step].name},
                         {"tensor", witness.tensor},
                         {"index", witness.index},
                         {"octet", element_text(witness.ours, 0)},
                         {"judge", element_text(witness.theirs, 0)},
                         {"saturated", witness.saturated},
                         {"note", witness.note.empty() ? Json() : Json(witness.note)}});
  return {{"verdict", verification.identical()               ? "equal"
                      : verification.agrees()                ? "near ties"
                      : verification.differs_by_saturation() ? "saturation"
                                                             : "differs"},
          {"summary", verdict_text(verification, program)},
          {"judge", verification.runtime},
          {"executed", verification.operators},
          {"batches", verification.batches},
          {"runs", verification.runs},
          {"missing", verification.missing},
          {"end_to_end", verdicts_json(verification.end_to_end, program)},
          {"steps", verdicts_json(verification.steps, program)},
          {"witnesses", witnesses}};
}

}  // namespace octet
