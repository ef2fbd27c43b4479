// version.cc: octet version
#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/analyze/catalog.h"

namespace octet::cli {

Command version_command(Parser& parser) {
  CommandLine line = parser.command("version", "Say which Octet this is, and what runs programs in it");
  auto json = std::make_shared<std::string>();
  add_json_option(line, *json);
  line.example("  octet version");
  return {line,
          [json] {
            if (json->empty())
              print(version_text());
            else
              write_json(version_json(), *json);
            return kFine;
          },
          Limits::kNone};
}

}  // namespace octet::cli
