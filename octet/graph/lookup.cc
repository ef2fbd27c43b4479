#include "octet/graph/lookup.h"

#include "octet/base/error.h"
#include "octet/spec/registry.h"
#include "octet/spec/signature.h"

namespace octet {

const Operator* find_operator(const Model& model, const Node& node) {
  const Operator* op = find_operator(node.domain, node.op_type);
  if (!op) return nullptr;
  const int opset = model.opset(node);
  const bool known = opset >= op->versions.front() && (!op->domain.empty() || opset <= kNewestOpset);
  return known ? op : nullptr;
}

void check_arguments(const Model& model, const Node& node, const Operator& op) {
  std::vector<bool> inputs;
  for (const std::string& input : node.inputs) inputs.push_back(!input.empty());
  check_arguments(op, model.opset(node), inputs, node.outputs.size());
}

void check_arguments(const Model& model) {
  for (const Node& node : model.graph.nodes) {
    try {
      if (const Operator* op = find_operator(model, node)) check_arguments(model, node, *op);
    } catch (const Error& error) {
      throw error.at(describe(node));
    }
  }
}

}  // namespace octet
