#include <fmt/core.h>

#include "octet/analyze/explanation.h"
#include "octet/analyze/support/latex.h"
#include "octet/analyze/support/writing.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

// Between backticks Markdown leaves formulas alone; see GitHub's page on mathematical expressions.
std::string inline_math(const std::string& formula) {
  return formula.empty() ? "" : fmt::format("$`{}`$", latex(formula));
}

// On one line; what would end a cell or begin some other markup is escaped.
std::string words(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("|*_`<>[]$\\&~#").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells, std::size_t count) {
  std::string result = "|";
  for (std::size_t c = 0; c < count; ++c) result += fmt::format(" {} |", c < cells.size() ? cells[c] : "");
  return result + "\n";
}

std::string markdown_terms(const ExplainedTerms& terms, bool all) {
  std::vector<std::string> titles, rules;
  for (std::size_t c = 0; c < terms.columns.size(); ++c) {
    titles.push_back(inline_math(terms.columns[c]));
    rules.push_back(std::holds_alternative<std::string>(terms.rows[0][c]) ? "---" : "--:");
  }
  std::string result = row(titles, titles.size()) + row(rules, rules.size());
  for (std::vector<std::string>& cells : shown_rows(terms, all)) {
    for (std::string& cell : cells) cell = words(cell);
    result += row(cells, titles.size());
  }
  return result + "\n";
}

// Labels that are words stay words.
std::string label_text(const std::string& label) {
  return label.find(' ') == std::string::npos ? inline_math(label) : words(label);
}

std::string markdown_lines(const std::vector<ExplainedLine>& lines) {
  std::string result = "| | formula | value | exactly | |\n|---|---|---|---|---|\n";
  for (const ExplainedLine& line : lines) {
    const std::string exact = line.exact ? words(line.exact->decimal) : "";
    result +=
        row({label_text(line.label), inline_math(line.formula), words(text(line.value)), exact, words(line.note)}, 5);
  }
  return result + "\n";
}

std::string markdown_alternatives(const std::vector<Alternative>& alternatives) {
  std::string result = "### What other rules give\n\n| rule | result | | |\n|---|--:|---|---|\n";
  for (const Alternative& other : alternatives)
    result +=
        row({words(other.rule), text(other.result), other.differs ? "**differs**" : "same", words(other.note)}, 4);
  return result + "\n";
}

}  // namespace

std::string explanation_markdown(const Explanation& explanation, const ExplanationStyle& style) {
  std::string result = fmt::format("# {}{} = {}\n\n", words(explanation.tensor), words(to_string(explanation.index)),
                                   text(explanation.result));
  result += fmt::format("{}. Step {}: {}.", words(type_text(explanation)), words(explanation.step),
                        words(step_text(explanation)));
  if (!explanation.reason.empty()) result += fmt::format(" {}.", words(explanation.reason));
  result += "\n\n";
  for (const ExplainedOperation& operation : explanation.operations) {
    result += fmt::format("## {}: {}{} = {}\n\n```math\n{}\n```\n\n", operation.op, words(operation.tensor),
                          words(to_string(operation.index)), text(operation.result), latex(operation.formula));
    for (const ExplainedSection& section : operation.sections) {
      result += fmt::format("### {}{}\n\n", static_cast<char>(std::toupper(section.title[0])), section.title.substr(1));
      if (!section.terms.rows.empty()) result += markdown_terms(section.terms, style.all_terms);
      result += markdown_lines(section.lines);
    }
    if (!operation.alternatives.empty()) result += markdown_alternatives(operation.alternatives);
  }
  result.pop_back();
  return result;
}

}  // namespace octet
