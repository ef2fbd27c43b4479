#include "octet/analyze/support/latex.h"

#include <fmt/core.h>

#include <cctype>
#include <utility>

namespace octet {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_%#&${}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// A name: one letter as it is, the sum, or upright letters. GitHub refuses \operatorname.
std::string latex_name(std::string_view name) {
  if (name == "Sum") return "\\sum ";
  if (name.size() == 1) return std::string(name);
  return fmt::format("\\mathrm{{{}}}", escaped(name));
}

constexpr std::pair<std::string_view, std::string_view> kSymbols[] = {
    {"...", "\\dots "}, {">>", "\\gg "}, {"<<", "\\ll "}, {">=", "\\ge "}, {"<=", "\\le "}, {"*", "\\cdot "}};

}  // namespace

std::string latex(std::string_view formula) {
  std::string result;
  bool after_name = false;  // and a space: two names need one between them
  while (!formula.empty()) {
    std::size_t length = 1;
    if (begins_name(formula[0])) {
      while (length < formula.size() && continues_name(formula[length])) ++length;
      if (after_name) result += "\\;";
      result += latex_name(formula.substr(0, length));
      after_name = true;
    } else if (formula[0] == '^') {
      while (length < formula.size() && (formula[length] == '-' || continues_name(formula[length]))) ++length;
      result += fmt::format("^{{{}}}", formula.substr(1, length - 1));
    } else {
      std::string symbol = escaped(formula.substr(0, 1));
      for (const auto& [text, command] : kSymbols)
        if (formula.starts_with(text)) {
          symbol = command;
          length = text.size();
          break;
        }
      result += symbol;
      after_name = after_name && formula[0] == ' ';
    }
    formula.remove_prefix(length);
  }
  return result;
}

}  // namespace octet
