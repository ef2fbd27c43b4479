#include "octet/analyze/explanation.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet {
namespace {

Json value_json(const ExplainedValue& value) {
  return std::visit(
      []<typename T>(const T& v) -> Json {
        if constexpr (std::is_floating_point_v<T>)
          return json_number(v);
        else
          return v;
      },
      value);
}

Json line_json(const ExplainedLine& line) {
  Json exact;
  if (line.exact) exact = {{"fraction", line.exact->fraction}, {"decimal", line.exact->decimal}};
  return {{"label", line.label},
          {"formula", line.formula},
          {"value", value_json(line.value)},
          {"exact", exact},
          {"note", line.note}};
}

Json section_json(const ExplainedSection& section) {
  Json rows = Json::array(), lines = Json::array();
  for (const std::vector<ExplainedValue>& row : section.terms.rows) {
    Json& values = rows.emplace_back(Json::array());
    for (const ExplainedValue& value : row) values.push_back(value_json(value));
  }
  for (const ExplainedLine& line : section.lines) lines.push_back(line_json(line));
  return {{"title", section.title}, {"terms", {{"columns", section.terms.columns}, {"rows", rows}}}, {"lines", lines}};
}

Json operation_json(const ExplainedOperation& operation) {
  Json sections = Json::array(), alternatives = Json::array();
  for (const ExplainedSection& section : operation.sections) sections.push_back(section_json(section));
  for (const Alternative& other : operation.alternatives)
    alternatives.push_back(
        {{"rule", other.rule}, {"result", value_json(other.result)}, {"differs", other.differs}, {"note", other.note}});
  return {{"operator", operation.op},    {"formula", operation.formula}, {"tensor", operation.tensor},
          {"index", operation.index},    {"sections", sections},         {"result", value_json(operation.result)},
          {"alternatives", alternatives}};
}

}  // namespace

std::string explanation_json(const ExplainResult& found, std::string_view model) {
  const Explanation& explanation = found.explanation;
  Json sources = Json::array(), operations = Json::array(), quantization;
  for (const SourceNode& source : explanation.sources)
    sources.push_back({{"name", source.name}, {"operator", source.op_type}});
  for (const ExplainedOperation& operation : explanation.operations) operations.push_back(operation_json(operation));
  if (explanation.quantization)
    quantization = {{"scale", json_number(explanation.quantization->scale)},
                    {"zero_point", explanation.quantization->zero_point}};
  return json_text({{"schema", "octet.explain/1"},
                    {"octet", kVersion},
                    {"model", model},
                    {"policy", name(found.policy)},
                    {"engine", found.engine},
                    {"tensor", explanation.tensor},
                    {"index", explanation.index},
                    {"type", name(explanation.dtype)},
                    {"shape", explanation.shape},
                    {"quantization", quantization},
                    {"step", explanation.step},
                    {"kind", name(explanation.kind)},
                    {"reason", explanation.reason},
                    {"sources", sources},
                    {"operations", operations},
                    {"result", value_json(explanation.result)}});
}

}  // namespace octet
