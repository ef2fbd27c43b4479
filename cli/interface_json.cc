#include "cli/interface.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

Json option_json(const OptionFacts& option) {
  return {{"names", option.spellings()},
          {"value", option.value.empty() ? Json() : Json(option.value)},
          {"default", option.default_value.empty() ? Json() : Json(option.default_value)},
          {"meaning", option.meaning},
          {"choices", option.choices},
          {"endings", option.endings},
          {"required", option.required},
          {"repeats", option.repeats},
          {"value_behind_equals", option.value_behind_equals},
          {"needs", option.needs},
          {"excludes", option.excludes}};
}

Json command_json(const CommandFacts& command) {
  Json operands = Json::array(), options = Json::array();
  for (const OptionFacts& operand : command.operands) operands.push_back(option_json(operand));
  for (const OptionFacts& option : command.options) options.push_back(option_json(option));
  return {{"name", command.name},
          {"meaning", command.meaning},
          {"operands", operands},
          {"options", options},
          {"example", command.example}};
}

}  // namespace

std::string interface_json(const Interface& interface) {
  Json commands = Json::array();
  for (const CommandFacts& command : interface.commands) commands.push_back(command_json(command));
  return json_text(Json{{"schema", "octet.help/1"},
                        {"octet", kVersion},
                        {"program", command_json(interface.program)},
                        {"commands", commands}});
}

}  // namespace octet::cli
