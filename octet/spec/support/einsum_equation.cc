#include "octet/spec/support/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "octet/spec/check.h"

namespace octet {
namespace {

constexpr std::string_view kEllipsis = "...", kArrow = "->";

// The labels of one term. `axes` is how many axes "..." stands for, given the number of letters.
template <typename F>
AxisLabels read_term(std::string_view term, std::string_view label, F axes) {
  const auto letters = std::ranges::count_if(term, [](unsigned char c) { return std::isalpha(c) != 0; });
  AxisLabels labels;
  bool ellipsis = false;
  while (!term.empty()) {
    if (!ellipsis && term.starts_with(kEllipsis)) {
      ellipsis = true;
      for (auto axis = static_cast<int>(axes(static_cast<std::size_t>(letters))); axis > 0; --axis)
        labels.push_back(-axis);
      term.remove_prefix(kEllipsis.size());
      continue;
    }
    if (std::isalpha(static_cast<unsigned char>(term[0])) == 0)
      fail_constraint(label, "'{}' in the equation, wanted a letter, a comma, one \"...\" a term or \"->\"", term[0]);
    labels.push_back(term[0]);
    term.remove_prefix(1);
  }
  return labels;
}

AxisLabels implicit_output(const std::vector<AxisLabels>& inputs) {
  std::map<int, int> uses;  // negative ones, of "...", come first, in their order
  for (const AxisLabels& term : inputs)
    for (const int axis : term) ++uses[axis];
  AxisLabels output;
  for (const auto& [axis, count] : uses)
    if (axis < 0 || count == 1) output.push_back(axis);
  return output;
}

void require_known_axes(const EinsumEquation& equation, std::string_view label) {
  for (std::size_t k = 0; k < equation.output.size(); ++k) {
    const int axis = equation.output[k];
    const auto has = [&](const AxisLabels& term) { return std::ranges::find(term, axis) != term.end(); };
    if (std::ranges::none_of(equation.inputs, has))
      fail_constraint(label, "axis '{}' of the result is of no input", axis < 0 ? '.' : static_cast<char>(axis));
    if (std::find(equation.output.begin(), equation.output.begin() + static_cast<std::ptrdiff_t>(k), axis) !=
        equation.output.begin() + static_cast<std::ptrdiff_t>(k))
      fail_constraint(label, "axis '{}' is twice in the result", static_cast<char>(axis));
  }
}

}  // namespace

EinsumEquation parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks, std::string_view label) {
  std::string text(equation);
  std::erase(text, ' ');
  const std::size_t arrow = text.find(kArrow);
  std::string_view terms = std::string_view(text).substr(0, arrow);
  EinsumEquation result;
  std::size_t widest = 0;  // how many axes "..." stands for, at most
  for (std::size_t n = 0; n < ranks.size(); ++n) {
    const std::size_t comma = terms.find(',');
    if ((comma == std::string_view::npos) != (n + 1 == ranks.size()))
      fail_constraint(label, "the equation \"{}\" is not of {} inputs", equation, ranks.size());
    const std::string_view term = terms.substr(0, comma);
    result.inputs.push_back(read_term(term, label, [&](std::size_t letters) {
      if (letters > ranks[n]) fail_constraint(label, "term {} has {} letters for {} axes", n, letters, ranks[n]);
      widest = std::max(widest, ranks[n] - letters);
      return ranks[n] - letters;
    }));
    if (result.inputs.back().size() != ranks[n])
      fail_constraint(label, "term {} has {} letters for {} axes", n, result.inputs.back().size(), ranks[n]);
    terms.remove_prefix(comma == std::string_view::npos ? terms.size() : comma + 1);
  }
  if (arrow == std::string::npos)
    result.output = implicit_output(result.inputs);
  else
    result.output =
        read_term(std::string_view(text).substr(arrow + kArrow.size()), label, [&](std::size_t) { return widest; });
  require_known_axes(result, label);
  return result;
}

}  // namespace octet
