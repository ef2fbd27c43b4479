#include "octet/graph/lookup.h"

#include "octet/spec/registry.h"

namespace octet {

const Operator* find_operator(const Model& model, const Node& node) {
  const Operator* op = find_operator(node.domain, node.op_type);
  if (!op) return nullptr;
  const int opset = model.opset(node);
  const bool known = opset >= op->versions.front() && (!op->domain.empty() || opset <= kNewestOpset);
  return known ? op : nullptr;
}

}  // namespace octet
