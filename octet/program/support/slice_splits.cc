// slice_splits.cc: Split as one Slice for each of its results, where it cuts what DequantizeLinear made. The elements are
// the same, and each Slice is a move of its own: one result may be wanted in float, another quantized with other parameters.
#include "octet/program/support/patterns.h"
#include "octet/spec/axes.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// Where the results begin along the axis, and where the last one ends; nothing unless every length is known.
std::optional<std::vector<std::int64_t>> cuts(const Draft& draft, const Node& split, std::size_t axis) {
  std::vector<std::int64_t> result = {0};
  for (const std::string& output : split.outputs) {
    const auto fact = draft.proven().find(output);
    if (fact == draft.proven().end() || !fact->second.shape || !(*fact->second.shape)[axis].known())
      return std::nullopt;
    result.push_back(result.back() + (*fact->second.shape)[axis].value());
  }
  return result;
}

void slice(Draft& draft, std::size_t index, std::int64_t axis, const std::vector<std::int64_t>& cuts) {
  const DraftStep split = draft.step(index);
  const Node node = split.nodes[0];
  const auto number = [&](std::int64_t value, const char* what) {
    return draft.add_constant(node.outputs[0] + what, Tensor::from<std::int64_t>({1}, {value}));
  };
  const std::string axes = number(axis, "_axis");
  draft.replace(index, {});
  bool first = true;
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    DraftStep step{.kind = StepKind::kOther,
                   .name = first ? split.name : draft.new_name(split.name + "_" + std::to_string(k)),
                   .nodes = {{.name = {}, .op_type = "Slice", .inputs = {}, .outputs = {node.outputs[k]}}},
                   .sources = split.sources,
                   .reason = {},
                   .warnings = {}};
    step.nodes[0].name = step.name;
    step.nodes[0].inputs = {node.inputs[0], number(cuts[k], "_begin"), number(cuts[k + 1], "_end"), axes};
    if (first)
      draft.replace(index, std::move(step));
    else
      draft.insert_after(index, std::move(step));
    first = false;
  }
}

}  // namespace

void slice_splits(Draft& draft) {
  if (draft.opset_of_new_nodes() < 10) return;  // Slice has its numbers as inputs from there on
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.is(i, ops::kSplit)) continue;
    const Node& node = draft.node(i);
    const std::optional<Operand> operand = find_operand(draft, node.inputs[0]);
    if (!operand || operand->scales.size() != 1 || bits(operand->dtype) != 8) continue;
    const auto fact = draft.proven().find(node.inputs[0]);
    if (fact == draft.proven().end() || !fact->second.shape) continue;
    const std::size_t axis = normalize_axis(node.attributes.get_int("axis", 0), fact->second.shape->size(), "");
    if (const auto known = cuts(draft, node, axis)) slice(draft, i, static_cast<std::int64_t>(axis), *known);
  }
}

}  // namespace octet
