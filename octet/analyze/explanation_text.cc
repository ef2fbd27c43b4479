#include <fmt/core.h>

#include <algorithm>

#include "octet/analyze/explanation.h"
#include "octet/analyze/support/writing.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kLeastName = 12;

std::string terms_table(const ExplainedTerms& terms, const ExplanationStyle& style) {
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < terms.columns.size(); ++c) {
    const bool words = terms.rows.empty() || std::holds_alternative<std::string>(terms.rows[0][c]);
    columns.push_back({terms.columns[c], Table::Fit::kWhole, !words});
  }
  Table table(columns);
  for (std::vector<std::string>& row : shown_rows(terms, style.all_terms)) table.add(std::move(row));
  return table.text(style.width);
}

std::string lines_table(const ExplainedSection& section, const ExplanationStyle& style) {
  Table table({{section.title},
               {"formula"},
               {"value", Table::Fit::kWrap, false, 20},
               {"exactly"},
               {"", Table::Fit::kWrap, false, 24}});
  for (const ExplainedLine& line : section.lines)
    table.add({line.label, line.formula, text(line.value), line.exact ? line.exact->decimal : "", line.note});
  return table.text(style.width);
}

std::string alternatives_table(const std::vector<Alternative>& alternatives, const ExplanationStyle& style) {
  Table table({{"other rules", Table::Fit::kWrap, false, 24},
               {"result", Table::Fit::kWhole, true},
               {""},
               {"", Table::Fit::kWrap, false, 24}});
  for (const Alternative& other : alternatives)
    table.add({other.rule, text(other.result), other.differs ? "differs" : "same", other.note});
  return table.text(style.width);
}

// "conv1_q[0,5,7,9] = 42"; a long name loses its middle.
std::string heading(const std::string& tensor, const Shape& index, const ExplainedValue& result,
                    const ExplanationStyle& style) {
  const std::string rest = fmt::format("{} = {}", to_string(index), text(result));
  return shorten(printable(tensor), std::max(kLeastName, style.width - std::min(style.width, rest.size()))) + rest +
         "\n";
}

}  // namespace

std::string explanation_text(const Explanation& explanation, const ExplanationStyle& style) {
  std::string result = heading(explanation.tensor, explanation.index, explanation.result, style);
  Table facts({{""}, {"", Table::Fit::kWrap}});
  facts.add({"type", type_text(explanation)});
  facts.add({"step", fmt::format("{}: {}", explanation.step, step_text(explanation))});
  if (!explanation.reason.empty()) facts.add({"", explanation.reason});
  result += facts.text(style.width);
  for (const ExplainedOperation& operation : explanation.operations) {
    Table formula({{""}, {"", Table::Fit::kWrap}});
    formula.add({operation.op, operation.formula});
    result += fmt::format("\n{}", formula.text(style.width));
    if (&operation != &explanation.operations.back())
      result += heading(operation.tensor, operation.index, operation.result, style);
    for (const ExplainedSection& section : operation.sections) {
      result += "\n";
      if (!section.terms.rows.empty()) result += terms_table(section.terms, style) + "\n";
      result += lines_table(section, style);
    }
    if (!operation.alternatives.empty())
      result += fmt::format("\n{}", alternatives_table(operation.alternatives, style));
  }
  return result;
}

}  // namespace octet
