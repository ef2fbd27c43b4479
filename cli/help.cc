// help.cc: octet help
#include "cli/command.h"
#include "cli/terminal.h"

namespace octet::cli {

Command help_command(Parser& parser) {
  CommandLine line = parser.command("help", "Say what a command does: octet help run is octet run --help");
  auto command = std::make_shared<std::string>();
  line.option("command", *command, "The command; without it, all of them");
  line.example("  octet help run");
  return {line, [command, &parser] {
            print(parser.help(*command));
            return kFine;
          }};
}

}  // namespace octet::cli
