// manual_page.cc: a command as a page for man(1), in the macros of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/interface.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

// Text that the formatter takes literally.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : ".SH " + title + "\n" + body;
}

std::string entries(const std::vector<OptionFacts>& options) {
  std::string text;
  for (const OptionFacts& option : options)
    text += fmt::format(".TP\n.B {}\n{}.\n", roff(option.title()), roff(option.description()));
  return text;
}

std::string command_entries(const Interface& interface) {
  std::string text;
  for (const CommandFacts& command : interface.commands)
    text += fmt::format(".TP\n.BR {0}\\-{1} (1)\n{2}.\n", roff(interface.program.name), roff(command.name),
                        roff(command.meaning));
  return text;
}

// The lines of a command that is continued by backslashes stay lines.
std::string example(const CommandFacts& command) {
  return command.example.empty() ? "" : ".nf\n" + roff(command.example) + "\n.fi\n";
}

constexpr const char* kExitStatus =
    ".TP\n.B 0\nSuccess.\n"
    ".TP\n.B 1\nA comparison found a difference, or a limit was not kept.\n"
    ".TP\n.B 2\nAn input or the command line is wrong. The message on standard error names what was found and what was "
    "wanted.\n"
    ".TP\n.B 128 + n\nSignal n ended the command.\n";

constexpr const char* kEnvironment =
    ".TP\n.B OCTET_PYTHON\nThe Python that runs ONNX Runtime or OpenVINO, where \\-\\-python does not name one.\n"
    ".TP\n.B OCTET_CPU\nThe instruction set whose kernels the fast engine uses.\n"
    ".TP\n.B OCTET_LAYOUT\nThe program octet\\-layout, where it does not stand beside octet.\n"
    ".TP\n.B CC\nThe compiler of octet compile.\n"
    ".TP\n.B TMPDIR\nThe folder for temporary files.\n"
    ".TP\n.B COLUMNS\nThe width of tables and help texts.\n";

}  // namespace

std::string manual_page(const Interface& interface, const CommandFacts& command) {
  const bool whole = &command == &interface.program;
  const std::string name = whole ? command.name : interface.program.name + "-" + command.name;
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"octet {}\" \"Octet\"\n", title, kVersion) +
         section("NAME", fmt::format("{} \\- {}\n", roff(name), roff(command.meaning))) +
         section("SYNOPSIS", fmt::format(".B {}\n", roff(usage_line(interface, command)))) +
         section("OPERANDS", entries(command.operands)) + section("OPTIONS", entries(command.options)) +
         section("COMMANDS", whole ? command_entries(interface) : "") + section("EXIT STATUS", kExitStatus) +
         section("ENVIRONMENT", kEnvironment) + section("EXAMPLES", example(command)) +
         section("SEE ALSO", whole ? "" : fmt::format(".BR {} (1)\n", roff(interface.program.name)));
}

}  // namespace octet::cli
