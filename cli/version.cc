// version.cc: octet version
#include "octet/version.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/engine/engine.h"
#include "octet/spec/operator.h"
#include "octet/text/json.h"

namespace octet::cli {
namespace {

std::string version_text() {
  std::string text = fmt::format("octet {}, ONNX opsets 1 to {}\n\nEngines, for --engine:\n", kVersion, kNewestOpset);
  for (const NamedEngine& engine : engines())
    text += fmt::format("  {:<12} {}; {}\n", engine.name, engine.meaning,
                        engine.any_arithmetic ? "every arithmetic" : "ONNX Runtime's arithmetic alone");
  return text;
}

Json version_facts() {
  Json list = Json::array();
  for (const NamedEngine& engine : engines())
    list.push_back({{"name", engine.name}, {"meaning", engine.meaning}, {"any_arithmetic", engine.any_arithmetic}});
  return {{"schema", "octet.version/1"},
          {"octet", kVersion},
          {"version", kVersion},
          {"newest_opset", kNewestOpset},
          {"engines", list}};
}

}  // namespace

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
              write_json(json_text(version_facts()), *json);
            return kFine;
          },
          Limits::kNone};
}

}  // namespace octet::cli
