#include "octet/quantize/write_rules.h"

#include "octet/quantize/pattern.h"
#include "octet/text/json.h"

namespace octet {
namespace {

void add_overrides(Json& rule, const NodeChoice& choice) {
  if (choice.per_channel) rule["per_channel"] = *choice.per_channel;
  if (choice.symmetric_weights) rule["symmetric_weights"] = *choice.symmetric_weights;
  if (choice.activations) rule["activations"] = name(*choice.activations);
  if (choice.range) rule["range"] = {json_number(choice.range->min), json_number(choice.range->max)};
  if (choice.calibration) rule["calibration"] = name(*choice.calibration);
  if (choice.percentile) rule["percentile"] = json_number(*choice.percentile);
}

}  // namespace

std::string rules_text(const std::vector<NodeDecision>& decisions) {
  Json list = Json::array();
  for (const auto& [node, op_type, choice] : decisions) {
    Json rule = {{"match", {{"op_type", op_type}, {"name", pattern_of_name(node)}}}, {"quantize", choice.quantize}};
    if (choice.quantize) add_overrides(rule, choice);
    list.push_back(std::move(rule));
  }
  return json_text(list);
}

}  // namespace octet
