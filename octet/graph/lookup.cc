#include "octet/graph/lookup.h"

#include <algorithm>

#include "octet/base/error.h"
#include "octet/spec/registry.h"
#include "octet/spec/signature.h"

namespace octet {

std::ptrdiff_t definition_in(const Operator& op, int opset) {
  return std::upper_bound(op.versions.begin(), op.versions.end(), opset) - op.versions.begin();
}

bool means_the_same(const Operator& op, int opset, int other) {
  const auto names = [](const std::vector<Parameter>& parameters) {
    std::vector<std::string_view> found;
    for (const Parameter& parameter : parameters) found.push_back(parameter.name);
    return found;
  };
  if (definition_in(op, opset) == definition_in(op, other)) return true;
  for (const int turn : op.turns)
    if ((opset < turn) != (other < turn)) return false;
  const Signature &one = signature_of(op, opset), &two = signature_of(op, other);
  const auto outputs = names(one.outputs), others = names(two.outputs);  // newer opsets may add some at the end
  return names(one.inputs) == names(two.inputs) &&
         (outputs == others || (opset < other && outputs.size() < others.size() &&
                                std::equal(outputs.begin(), outputs.end(), others.begin())));
}

const Operator* find_operator(const Model& model, const Node& node) {
  const Operator* op = find_operator(node.domain, node.op_type);
  if (!op) return nullptr;
  return model.opset(node) >= op->versions.front() ? op : nullptr;
}

const Operator* operator_of(const Node& node) { return find_operator(node.domain, node.op_type); }

// Copies have the name of what they are a copy of, so most nodes are answered by one comparison.
bool is(const Node& node, const Operator& op) { return node.op_type == op.name && is(operator_of(node), op); }

bool is_one_of(const Node& node, std::span<const Operator* const> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](const Operator* op) { return is(node, *op); });
}

bool has(const Node& node, Trait trait) { return has(operator_of(node), trait); }

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
