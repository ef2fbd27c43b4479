// write_rules.h: what was decided of single nodes as a file of rules (selection.h).
#pragma once

#include <string>
#include <vector>

#include "octet/quantize/selection.h"

namespace octet {

struct NodeDecision {
  std::string name, op_type;
  NodeChoice choice;
};

// One rule for each: the node of that name and operator.
std::string rules_text(const std::vector<NodeDecision>& decisions);

}  // namespace octet
