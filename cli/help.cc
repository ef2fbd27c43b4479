// help.cc: octet help
#include "cli/command.h"
#include "cli/terminal.h"

namespace octet::cli {
namespace {

struct HelpArguments {
  std::string command, json;
  bool manual = false;
};

int help(const Parser& parser, const HelpArguments& arguments) {
  const std::string text = parser.help(arguments.command);
  const Interface interface = parser.interface();
  if (!arguments.json.empty())
    write_json(interface_json(interface), arguments.json);
  else
    print(arguments.manual ? manual_page(interface, command_named(interface, arguments.command)) : text);
  return kFine;
}

}  // namespace

Command help_command(Parser& parser) {
  CommandLine line = parser.command("help", "Say what a command does: octet help run is octet run --help");
  auto arguments = std::make_shared<HelpArguments>();
  const Argument command = line.option("command", arguments->command, "The command; without it, all of them");
  const Argument manual = line.flag("--man", arguments->manual, "Write a manual page, for man -l");
  line.option("--json", arguments->json, "Write all commands and options as JSON instead of text; - is standard output",
              "FILE")
      .excludes(command)
      .excludes(manual);
  line.example("  octet help run\n  octet help --man run | man -l -");
  return {line, [arguments, &parser] { return help(parser, *arguments); }, Limits::kNone};
}

}  // namespace octet::cli
