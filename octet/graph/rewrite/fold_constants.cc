#include <algorithm>
#include <map>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rewrite/float16_kernels.h"
#include "octet/graph/rewrite/folding_budget.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/spec/operator.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

bool says_how_it_is_quantized(const Node& node) {
  return is(node, ops::kQuantizeLinear) || is(node, ops::kDequantizeLinear);
}

// ONNX Runtime computes such a node in float32 and may not round its result: widen_float16 says where.
bool rounds_late(const Model& model, const Node& node, const std::vector<Tensor>& inputs) {
  return !has_float16_kernel(node, model.opset(node)) &&
         std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& input) { return input.dtype() == DType::kFloat16; });
}

}  // namespace

Model fold_constants(Model model, const Arithmetic& arithmetic) {
  Graph& graph = model.graph;
  const Parallel parallel(1);
  const Environment environment{arithmetic, parallel};
  const MemoryBudget budget(folding_budget(graph));

  std::map<std::string, Tensor> constants;
  for (const Initializer& initializer : graph.initializers)
    if (!initializer.tensor.empty()) constants[initializer.name] = initializer.tensor;
  for (const Value& input : graph.inputs) constants.erase(input.name);  // a default that the caller may replace

  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    const Operator* op = find_operator(node.domain, node.op_type);
    std::vector<Tensor> inputs;
    bool constant = op && node.subgraphs.empty() && node.other_attributes.empty() && !says_how_it_is_quantized(node);
    for (const std::string& input : node.inputs) {
      const auto it = constants.find(input);
      constant = constant && (input.empty() || it != constants.end());
      inputs.push_back(constant && !input.empty() ? it->second : Tensor());
    }
    if (constant && !rounds_late(model, node, inputs)) {
      try {
        std::vector<Tensor> outputs =
            execute(*op, model.opset(node), node.attributes, inputs, node.outputs.size(), environment);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if (node.outputs[i].empty()) continue;
          constants[node.outputs[i]] = outputs[i];
          graph.initializers.push_back({.name = node.outputs[i], .tensor = std::move(outputs[i])});
        }
        continue;
      } catch (const Error&) {
        // Too large, or not valid: the engine reports it at the node.
      }
    }
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  return remove_unused(std::move(model));
}

}  // namespace octet
