#include "octet/quantize/write_rules.h"

#include "octet/quantize/pattern.h"
#include "octet/text/json.h"

namespace octet {

std::string rules_text(const std::vector<NodeDecision>& decisions) {
  Json list = Json::array();
  for (const NodeDecision& node : decisions) {
    Json rule = {{"match", {{"op_type", node.op_type}, {"name", pattern_of_name(node.name)}}},
                 {"quantize", node.quantize}};
    if (node.activations) rule["activations"] = name(*node.activations);
    list.push_back(std::move(rule));
  }
  return json_text(list);
}

}  // namespace octet
