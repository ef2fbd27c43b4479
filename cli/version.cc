// version.cc: octet version
#include "octet/version.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/report/json.h"
#include "octet/spec/operator.h"

namespace octet::cli {

Command version_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("version", "Say which Octet this is");
  auto json = std::make_shared<std::string>();
  add_json_option(*sub, *json);
  add_example(*sub, "  octet version");
  return {sub, [json] {
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
