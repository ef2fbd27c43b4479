// version.cc: octet version
#include "octet/version.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/report/json.h"
#include "octet/spec/operator.h"

namespace octet::cli {

Command version_command(Parser& parser) {
  CommandLine line = parser.command("version", "Say which Octet this is");
  auto json = std::make_shared<std::string>();
  add_json_option(line, *json);
  line.example("  octet version");
  return {line, [json] {
            if (json->empty())
              print(fmt::format("octet {}, ONNX opsets 1 to {}\n", kVersion, kNewestOpset));
            else
              write_json(
                  json_text({{"schema", "octet.version/1"}, {"version", kVersion}, {"newest_opset", kNewestOpset}}),
                  *json);
            return kFine;
          }};
}

}  // namespace octet::cli
