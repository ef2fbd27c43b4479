// ops.cc: octet ops
#include <fmt/core.h>

#include <map>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/spec/registry.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

std::string domain_of(const Operator& op) { return op.domain.empty() ? "ai.onnx" : std::string(op.domain); }

std::string opsets_of(const Operator& op) {
  std::string text;
  for (const int version : op.versions) text += fmt::format("{}{}", text.empty() ? "" : " ", version);
  return text;
}

Json ops_facts() {
  Json list = Json::array();
  for (const Operator* op : operators()) {
    Json constraints = Json::array();
    for (const Constraint& c : op->constraints) constraints.push_back({{"label", c.label}, {"text", c.text}});
    list.push_back({{"domain", domain_of(*op)},
                    {"name", op->name},
                    {"opsets", op->versions},
                    {"formula", op->formula},
                    {"constraints", constraints}});
  }
  return {{"schema", "octet.ops/1"}, {"octet", kVersion}, {"newest_opset", kNewestOpset}, {"operators", list}};
}

std::string ops_text() {
  Table table({{"domain"}, {"operator"}, {"opsets", Table::Fit::kWrap}, {"meaning", Table::Fit::kWrap}});
  std::map<std::string, int> counts;
  for (const Operator* op : operators()) {
    const std::string domain = domain_of(*op);
    ++counts[domain];
    table.add({domain, std::string(op->name), opsets_of(*op), std::string(op->formula)});
  }
  std::string total;
  for (const auto& [domain, count] : counts)
    total += fmt::format("{}{} of {}", total.empty() ? "" : ", ", count, domain);
  return table.text(terminal_width()) +
         fmt::format("\n{}: {}\n", counted(static_cast<std::int64_t>(operators().size()), "operator"), total);
}

}  // namespace

Command ops_command(Parser& parser) {
  CommandLine line = parser.command("ops", "List the operators Octet knows: domain, opsets that changed them, meaning");
  auto json = std::make_shared<std::string>();
  add_json_option(line, *json);
  line.example("  octet ops");
  return {line,
          [json] {
            if (json->empty())
              print(ops_text());
            else
              write_json(json_text(ops_facts()), *json);
            return kFine;
          },
          Limits::kNone};
}

}  // namespace octet::cli
