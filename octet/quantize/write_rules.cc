#include "octet/quantize/write_rules.h"

#include "octet/quantize/pattern.h"
#include "octet/text/json.h"

namespace octet {

std::string rules_text(const std::vector<NodeDecision>& decisions) {
  Json list = Json::array();
  for (const NodeDecision& node : decisions)
    list.push_back(
        {{"match", {{"op_type", node.op_type}, {"name", pattern_of_name(node.name)}}}, {"quantize", node.quantize}});
  return json_text(list);
}

}  // namespace octet
