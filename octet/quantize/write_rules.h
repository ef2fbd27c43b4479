// write_rules.h: what was decided of single nodes as a file of rules (selection.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/base/dtype.h"

namespace octet {

struct NodeDecision {
  std::string name, op_type;
  bool quantize = false;
  std::optional<DType> activations = std::nullopt;  // where not as the options say
};

// One rule for each: the node of that name and operator.
std::string rules_text(const std::vector<NodeDecision>& decisions);

}  // namespace octet
