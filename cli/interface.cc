#include "cli/interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/terminal.h"
#include "octet/text/fit.h"

namespace octet::cli {
namespace {

constexpr std::size_t kNameColumn = 28;  // of --help, where the meaning of an option begins

// One option or command and its meaning, beside it or, where it is long, below it.
std::string help_entry(const std::string& name, const std::string& meaning) {
  const std::size_t width = terminal_width(), column = std::min(kNameColumn, width * 2 / 5);
  std::vector<std::string> names = wrap("  " + name, width, 4), meanings = wrap(meaning, width - column, 0);
  std::string text;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) text += names[i] + "\n";
  text += names.back();
  const std::size_t used = display_width(names.back());
  text += used < column ? std::string(column - used, ' ') : "\n" + std::string(column, ' ');
  for (std::size_t i = 0; i < meanings.size(); ++i)
    text += (i == 0 ? "" : "\n" + std::string(column, ' ')) + meanings[i];
  return text + "\n";
}

// A command that is longer than a line goes on in the next one as a shell has it.
std::string example_lines(const std::string& command) {
  constexpr std::string_view kMore = " \\";
  const std::size_t width = terminal_width();
  if (display_width(command) <= width) return command;
  std::string text;
  for (const std::string& line : wrap(command, width - kMore.size(), 6))
    text += (text.empty() ? "" : std::string(kMore) + "\n") + line;
  return text;
}

std::string help_group(const char* title, const std::vector<OptionFacts>& options) {
  std::string text = options.empty() ? "" : fmt::format("\n{}:\n", title);
  for (const OptionFacts& option : options) text += help_entry(option.title(), option.description());
  return text;
}

}  // namespace

std::vector<std::string> OptionFacts::spellings() const {
  std::vector<std::string> found;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) found.push_back(name);
  return found;
}

std::string OptionFacts::title() const {
  std::string text = names;
  if (!value.empty()) text += (value_behind_equals ? "[=" + value + "]" : " " + value);
  if (!default_value.empty()) text += "=" + default_value;
  return repeats ? text + " ..." : text;
}

std::string OptionFacts::description() const {
  std::string text = meaning;
  for (const std::string& other : needs) text += "; with " + other + " only";
  for (const std::string& other : excludes) text += "; not with " + other;
  return text;
}

const CommandFacts& command_named(const Interface& interface, const std::string& name) {
  if (name.empty()) return interface.program;
  const auto found = std::ranges::find(interface.commands, name, &CommandFacts::name);
  return interface.commands.at(static_cast<std::size_t>(found - interface.commands.begin()));
}

std::string usage_line(const Interface& interface, const CommandFacts& command) {
  const bool whole = &command == &interface.program;
  std::string text = interface.program.name + (whole ? "" : " " + command.name) + " [OPTIONS]";
  for (const OptionFacts& operand : command.operands)
    text += operand.required ? " " + operand.names : " [" + operand.names + "]";
  return whole ? text + " SUBCOMMAND" : text;
}

std::string help_text(const Interface& interface, const CommandFacts& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.meaning, usage_line(interface, command));
  text += help_group("Positionals", command.operands) + help_group("Options", command.options);
  if (&command == &interface.program) {
    text += "\nSubcommands:\n";
    for (const CommandFacts& one : interface.commands) text += help_entry(one.name, one.meaning);
  }
  std::istringstream lines(command.example);
  text += command.example.empty() ? "\n" : "\nExample:\n";
  for (std::string line; std::getline(lines, line);)
    text += (line.starts_with("  octet ") ? example_lines(line) : line) + "\n";
  return text;
}

}  // namespace octet::cli
