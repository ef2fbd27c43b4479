#include <fmt/format.h>

#include "cli/interface.h"
#include "cli/offered.h"

namespace octet::cli {
namespace {

constexpr const char* kFishHead = R"(# Completion of octet for fish.

function __octet_command
    set -l words (commandline -opc)
    test (count $words) -gt 1 -a "$words[2]" = "$argv[1]"
end

function __octet_no_command
    test (count (commandline -opc)) -eq 1
end

complete -c octet -f
)";

// Fish takes backslash and quote in quotes for its own.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += std::string(c == '\'' || c == '\\' ? "\\" : "") + c;
  return quoted + "'";
}

std::string suffixes(const std::vector<std::string>& endings) {
  std::string text;
  for (const std::string& end : endings) text += (text.empty() ? "" : "; ") + ("__fish_complete_suffix " + end);
  return fish_quoted("(" + text + ")");
}

std::string fish_action(const OptionFacts& option) {
  switch (offered_for(option)) {
    case Offered::kWords: return " -x -a " + fish_quoted(joined(option.choices));
    case Offered::kFiles: return option.endings.empty() ? " -r -F" : " -k -x -a " + suffixes(option.endings);
    case Offered::kFolders: return " -x -a '(__fish_complete_directories)'";
    case Offered::kNothing: return " -x";
  }
  return " -x";
}

std::string option_line(const std::string& condition, const OptionFacts& option) {
  std::string text = fmt::format("complete -c octet -n {}", fish_quoted(condition));
  for (const std::string& name : option.spellings())
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty() && !option.value_behind_equals) text += fish_action(option);
  return text + " -d " + fish_quoted(option.meaning) + "\n";
}

std::string operand_line(const std::string& condition, const CommandFacts& command) {
  switch (offered_for_operand(command)) {
    case Offered::kNothing: return "";
    case Offered::kWords:
      return fmt::format("complete -c octet -n {} -a {}\n", fish_quoted(condition),
                         fish_quoted(joined(command.operands.front().choices)));
    default: return fmt::format("complete -c octet -n {} -F\n", fish_quoted(condition));
  }
}

}  // namespace

std::string fish_completion(const Interface& interface) {
  std::string text = kFishHead;
  for (const OptionFacts& option : interface.program.options) text += option_line("__octet_no_command", option);
  for (const CommandFacts& command : interface.commands)
    text += fmt::format("complete -c octet -n __octet_no_command -a {} -d {}\n", command.name,
                        fish_quoted(command.meaning));
  for (const CommandFacts& command : interface.commands) {
    const std::string condition = "__octet_command " + command.name;
    text += operand_line(condition, command);
    for (const OptionFacts& option : command.options) text += option_line(condition, option);
  }
  return text;
}

}  // namespace octet::cli
