#include <fmt/format.h>

#include "cli/interface.h"
#include "cli/offered.h"

namespace octet::cli {
namespace {

// What _arguments would take for its own syntax.
std::string zsh_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += std::string(c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + c;
  return escaped;
}

std::string zsh_action(const OptionFacts& option) {
  switch (offered_for(option)) {
    case Offered::kWords: return "(" + joined(option.choices) + ")";
    case Offered::kFiles:
      return option.endings.empty() ? "_files" : "_files -g \"*(" + joined(option.endings, "|") + ")(-.)\"";
    case Offered::kFolders: return "_files -/";
    case Offered::kNothing: return " ";
  }
  return " ";
}

// "--policy=[meaning]:NAME:(exact onnxruntime)", one for each spelling.
std::string specifications(const OptionFacts& option) {
  std::string text;
  for (const std::string& name : option.spellings()) {
    std::string line = option.repeats ? "*" : "(" + joined(option.spellings()) + ")";
    line += name;
    if (option.value_behind_equals) line += "=-";
    if (!option.value.empty() && !option.value_behind_equals && name.starts_with("--")) line += "=";
    line += "[" + zsh_escaped(option.meaning) + "]";
    if (!option.value.empty())
      line += (option.value_behind_equals ? "::" : ":") + zsh_escaped(option.value) + ":" + zsh_action(option);
    text += " \\\n        " + shell_quoted(line);
  }
  return text;
}

std::string operand_specification(const CommandFacts& command) {
  switch (offered_for_operand(command)) {
    case Offered::kNothing: return "";
    case Offered::kWords:
      return " \\\n        " +
             shell_quoted("*:" + command.operands.front().names + ":" + zsh_action(command.operands.front()));
    default: return " \\\n        '*:file:_files'";
  }
}

}  // namespace

std::string zsh_completion(const Interface& interface) {
  std::string text =
      "#compdef octet\n# Completion of octet for zsh.\n\n_octet() {\n  local state line\n  typeset -A opt_args\n  "
      "_arguments -C";
  for (const OptionFacts& option : interface.program.options) text += specifications(option);
  text += " \\\n        '1:command:->command' '*::argument:->argument' && return\n  local -a commands=(\n";
  for (const CommandFacts& command : interface.commands)
    text += "    " + shell_quoted(command.name + ":" + zsh_escaped(command.meaning)) + "\n";
  text +=
      "  )\n  if [[ $state == command ]]; then\n    _describe command commands\n    return\n  fi\n  case $words[1] "
      "in\n";
  for (const CommandFacts& command : interface.commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionFacts& option : command.options) text += specifications(option);
    text += operand_specification(command) + " ;;\n";
  }
  return text +
         "  esac\n}\n\n"
         "# Sourced, it registers itself; autoloaded from fpath, it completes.\n"
         "if [[ $funcstack[1] == _octet ]]; then _octet \"$@\"; else compdef _octet octet; fi\n";
}

}  // namespace octet::cli
