#include "octet/verify/with_zero_points.h"

#include "octet/base/error.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"

namespace octet {

Model with_zero_points(Model model) {
  const Facts facts = infer(model, [](const Error&) {});
  NewNames names(model.graph);
  for (Node& node : model.graph.nodes) {
    if (!is(node, ops::kDequantizeLinear) || node.inputs.size() < 2) continue;
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) continue;
    const auto x = facts.find(node.inputs[0]), scale = facts.find(node.inputs[1]);
    if (x == facts.end() || x->second.dtype != DType::kInt8 || scale == facts.end() || !scale->second.shape) continue;
    const std::optional<Shape> shape = concrete(*scale->second.shape);
    if (!shape) continue;
    node.inputs.resize(3);
    node.inputs[2] = names.make(node.inputs[1] + "_zero_point");
    model.graph.initializers.push_back({.name = node.inputs[2], .tensor = Tensor(DType::kInt8, *shape)});
  }
  return model;
}

}  // namespace octet
