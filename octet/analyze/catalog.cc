#include "octet/analyze/catalog.h"

#include <fmt/core.h>

#include <map>

#include "octet/engine/engine.h"
#include "octet/spec/operator.h"
#include "octet/spec/registry.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet {
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

std::string operators_text(std::size_t width) {
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
  return table.text(width) +
         fmt::format("\n{}: {}\n", counted(static_cast<std::int64_t>(operators().size()), "operator"), total);
}

std::string operators_json() { return json_text(ops_facts()); }

std::string version_text() {
  std::string text = fmt::format("octet {}, ONNX opsets 1 to {}\n\nEngines, for --engine:\n", kVersion, kNewestOpset);
  for (const NamedEngine& engine : engines())
    text += fmt::format("  {:<12} {}; {}\n", engine.name, engine.meaning,
                        engine.any_arithmetic ? "every arithmetic" : "ONNX Runtime's arithmetic alone");
  return text;
}

std::string version_json() { return json_text(version_facts()); }

}  // namespace octet
