// explain_floats.cc: why what no pattern was tried on stays float.
#include <fmt/core.h>

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/program/support/patterns.h"
#include "octet/program/support/subprogram.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

bool stays_float(const Draft& draft, std::size_t index) {
  const DraftStep& step = draft.step(index);
  if (step.kind != StepKind::kOther || step.nodes.size() != 1 || !step.reason.empty()) return false;
  const Node& node = step.nodes.front();
  const Operator* op = find_operator(node.domain, node.op_type);
  if (!op || op->kind || node.outputs.empty()) return false;
  const DType result = draft.dtype(node.outputs[0]);
  return is_float(result) || result == DType::kUndefined;
}

bool is_recurrent(const Node& node) {
  const Operator* op = operator_of(node);
  return op && op->macs == MacRule::kRecurrent;
}

bool reads_quantized(const Draft& draft, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    const std::optional<std::size_t> step = draft.producer(input);
    return step && draft.is(*step, ops::kDequantizeLinear);
  });
}

std::string why_float(Draft& draft, Policy policy, const Node& node) {
  if (is(node, ops::kDynamicQuantizeLSTM))
    return "it quantizes x and its state inside the operator, step by step: its sums are on integers, its state is "
           "float";
  if (policy == Policy::kExact && is_recurrent(node) && reads_quantized(draft, node))
    return fmt::format(
        "{} adds up the products of x and of its state inside the operator: the state is float from step to step, and "
        "no input takes the sums of x",
        node.op_type);
  bool quantized = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& input = node.inputs[i];
    const DType dtype = draft.dtype(input);
    if (input.empty() || draft.constant(input) || (!is_float(dtype) && dtype != DType::kUndefined)) continue;
    try {
      whole_operand_at(draft, node, i);
      quantized = true;
    } catch (const NotFused& failed) {
      return failed.why;
    }
  }
  if (!quantized) return "it reads no quantized integers";
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    const std::optional<std::size_t> reader = draft.only_reader(output);
    if (!reader && (draft.is_output(output) || !draft.readers(output).empty()))
      return draft.readers(output).empty() ? fmt::format("{} is wanted in float", output)
                                           : fmt::format("{} is read by others in float", output);
    if (reader && !result_at(draft, *reader))
      return fmt::format("{} is read in float by {}", output, describe(draft.node(*reader)));
  }
  if (policy != Policy::kExact) return fmt::format("ONNX Runtime does not fuse {}", node.op_type);
  const std::string why = why_not_moved(draft, node);
  return why.empty() ? fmt::format("there is no exact integer step for {}", node.op_type) : why;
}

}  // namespace

void explain_floats(Draft& draft, Policy policy) {
  for (std::size_t i = 0; i < draft.size(); ++i)
    if (draft.step(i).nodes.size() == 1 && !draft.node(i).subgraphs.empty())
      draft.decline(i, why_at_run_time(*find_operator(draft.node(i).domain, draft.node(i).op_type)));
    else if (stays_float(draft, i))
      draft.decline(i, why_float(draft, policy, Node(draft.node(i))));
}

}  // namespace octet
