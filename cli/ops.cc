// ops.cc: octet ops
#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/analyze/catalog.h"

namespace octet::cli {

Command ops_command(Parser& parser) {
  CommandLine line = parser.command("ops", "List the operators Octet knows: domain, opsets that changed them, meaning");
  auto json = std::make_shared<std::string>();
  add_json_option(line, *json);
  line.example("  octet ops");
  return {line,
          [json] {
            if (json->empty())
              print(operators_text(terminal_width()));
            else
              write_json(operators_json(), *json);
            return kFine;
          },
          Limits::kNone};
}

}  // namespace octet::cli
