// fuse_moves.cc: operators that put bytes in other places, or choose the largest: they mean the same on integers as on
// the floats those stand for, because DequantizeLinear and QuantizeLinear act on each element alone and are monotone.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "octet/graph/lookup.h"
#include "octet/program/support/float_limits.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/moves_elements.h"

namespace octet {
namespace {

// Those that ONNX Runtime leaves to float.
constexpr std::array kExactMoves = {&ops::kGatherND, &ops::kPad, &ops::kTile};
// Those past which ONNX Runtime moves a DequantizeLinear.
constexpr std::array kPassable = {&ops::kFlatten, &ops::kMaxPool,   &ops::kReshape,
                                  &ops::kSqueeze, &ops::kTranspose, &ops::kUnsqueeze};

// Those that ONNX Runtime has kernels for on integers of 16 bits, too.
constexpr std::array kWideMoves = {&ops::kFlatten,  &ops::kGather,    &ops::kGatherElements,
                                   &ops::kIdentity, &ops::kReshape,   &ops::kSlice,
                                   &ops::kSqueeze,  &ops::kTranspose, &ops::kUnsqueeze};

// Whether the move may be one of integers of this type.
bool moves_type(Policy policy, const Node& node, DType dtype) {
  if (bits(dtype) == 8) return true;
  return policy == Policy::kExact && bits(dtype) == 16 && is_one_of(node, kWideMoves);
}

// What a Pad of opset 11 and later adds, 0 in modes that add elements of x; nothing where it is computed, or not finite.
std::optional<float> pad_value(const Draft& draft, const Node& node) {
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return 0.0F;
  const Tensor* value = draft.constant(node.inputs[2]);
  if (!value || value->dtype() != DType::kFloat || value->size() != 1 || !std::isfinite(value->as<float>()[0]))
    return std::nullopt;
  return value->as<float>()[0];
}

// Whether it moves bytes in this very form.
bool moves_bytes(const Draft& draft, Policy policy, std::size_t step) {
  if (draft.step(step).nodes.size() != 1) return false;
  const Node& node = draft.node(step);
  if (!is_move(node) || node.outputs.size() != 1) return false;
  if (policy != Policy::kExact && is_one_of(node, kExactMoves)) return false;
  if (is(node, ops::kMaxPool)) return draft.opset(node) >= 12;  // 8-bit integers since then
  if (is(node, ops::kPad)) return draft.opset(node) >= 13 && pad_value(draft, node);
  if (is(node, ops::kResize)) return draft.opset(node) >= 11;
  return true;
}

// What a move on floats is on integers of these parameters.
Node on_integers(Draft& draft, const Node& move, DType dtype, const Quantization& quantization) {
  Node result = move;
  if (!is(move, ops::kPad)) return result;
  result.inputs.resize(std::max<std::size_t>(result.inputs.size(), 3));
  result.inputs[2] = draft.add_constant(
      move.outputs[0] + "_fill",
      convert(Tensor::scalar(std::int64_t{quantized(*pad_value(draft, move), dtype, quantization)}), dtype));
  return result;
}

// Whether what a Pad adds comes back from its integer to the last bit: DequantizeLinear may go behind it then.
bool fill_comes_back(const Draft& draft, const Node& move, const Operand& operand) {
  if (!is(move, ops::kPad)) return true;
  const float value = *pad_value(draft, move);
  const std::int32_t integer = quantized(value, operand.dtype, operand.whole());
  const float back = static_cast<float>(integer - operand.zero_points[0]) * operand.scales[0];
  return std::bit_cast<std::uint32_t>(back) == std::bit_cast<std::uint32_t>(value);
}

bool may_pass(Policy policy, const Node& node) { return policy == Policy::kExact || is_one_of(node, kPassable); }

// DequantizeLinear, move, QuantizeLinear with equal parameters: bytes.
void fuse_move(Draft& draft, const Result& result, const Operand& operand) {
  const std::size_t anchor = *result.anchor;
  DraftStep step{
      .kind = StepKind::kMove,
      .name = draft.step(anchor).name,
      .nodes = {on_integers(draft, draft.node(anchor), result.dtype, result.quantization)},
      .sources = draft.sources(result.quantize),
      .reason = draft.node(anchor).op_type + " between DequantizeLinear and QuantizeLinear of equal parameters",
      .warnings = {}};
  for (const std::size_t source : {anchor, operand.step})
    step.sources.insert(draft.sources(source).begin(), draft.sources(source).end());
  step.nodes[0].inputs[0] = operand.integers;
  step.nodes[0].outputs = {result.integers};
  for (const std::string& value : {operand.integers, result.integers}) draft.set_meaning(value, result.quantization);
  draft.replace(result.quantize, std::move(step));
}

// DequantizeLinear before a move becomes DequantizeLinear behind it.
void push_down(Draft& draft, std::size_t index, const Operand& operand) {
  Node move = on_integers(draft, draft.node(index), operand.dtype, operand.whole()),
       dequantize = draft.node(operand.step);
  const std::string integers = draft.new_name(move.outputs[0] + "_integers");
  draft.set_dtype(integers, operand.dtype);
  dequantize.inputs[0] = integers;
  dequantize.outputs = move.outputs;
  dequantize.name = draft.new_name(draft.step(index).name + "_dequantize");
  move.inputs[0] = operand.integers;
  move.outputs = {integers};
  DraftStep bytes{.kind = StepKind::kMove,
                  .name = draft.step(index).name,
                  .nodes = {move},
                  .sources = draft.sources(index),
                  .reason = "DequantizeLinear moved behind it",
                  .warnings = {}};
  DraftStep floats{.kind = StepKind::kDequantize,
                   .name = dequantize.name,
                   .nodes = {dequantize},
                   .sources = draft.sources(operand.step),
                   .reason = {},
                   .warnings = {}};
  draft.replace(index, std::move(bytes));
  draft.insert_after(index, std::move(floats));
}

// A move before QuantizeLinear becomes a move behind it, so that the operator before both may be fused.
void pull_up(Draft& draft, const Result& result) {
  const std::size_t index = *result.anchor;
  Node move = on_integers(draft, draft.node(index), result.dtype, result.quantization),
       quantize = draft.node(result.quantize);
  const std::string integers = draft.new_name(move.inputs[0] + "_integers");
  draft.set_dtype(integers, result.dtype);
  quantize.inputs[0] = move.inputs[0];
  quantize.outputs = {integers};
  move.inputs[0] = integers;
  move.outputs = {result.integers};
  const DraftStep old = draft.step(index), last = draft.step(result.quantize);
  draft.replace(index, {.kind = StepKind::kQuantize,
                        .name = last.name,
                        .nodes = {quantize},
                        .sources = last.sources,
                        .reason = {},
                        .warnings = {}});
  draft.replace(result.quantize, {.kind = StepKind::kMove,
                                  .name = old.name,
                                  .nodes = {move},
                                  .sources = old.sources,
                                  .reason = "QuantizeLinear moved before it",
                                  .warnings = {}});
}

// Where a QuantizeLinear stands now that went before the move it stood behind; nothing where it stays.
std::optional<std::size_t> pulled_up(Draft& draft, Policy policy, std::size_t quantize) {
  const std::optional<Result> result = result_at(draft, quantize);
  if (!result || !result->anchor || !(result->quantization.scale > 0)) return std::nullopt;
  const std::size_t anchor = *result->anchor;
  if (!moves_bytes(draft, policy, anchor) || !may_pass(policy, draft.node(anchor))) return std::nullopt;
  const Node& move = draft.node(anchor);
  if (!moves_type(policy, move, result->dtype)) return std::nullopt;
  if (find_operand(draft, move.inputs[0]) || !draft.only_reader(move.outputs[0]) || draft.constant(move.inputs[0]))
    return std::nullopt;
  pull_up(draft, *result);
  return anchor;
}

}  // namespace

// A Split has several results, which slice_splits takes apart, and Dropout takes no integers.
bool is_move(const Node& node) {
  const Operator* op = operator_of(node);
  if (!op || !node.domain.empty() || is(node, ops::kSplit) || is(node, ops::kDropout)) return false;
  return is(node, ops::kMaxPool) || moves_one_tensor(*op, node.attributes);
}

std::string why_not_moved(const Draft& draft, const Node& node) {
  if (is(node, ops::kReduceMax))
    return "of ReduceMax, integers have the largest of all pixels of a channel alone: a MaxPool, from opset 12 on";
  if (!is(node, ops::kPad)) return "";
  if (const int opset = draft.opset(node); opset < 13)
    return fmt::format("Pad takes 8-bit integers from opset 13 on, and this one is of opset {}", opset);
  const std::optional<float> value = pad_value(draft, node);
  return value ? fmt::format("what it adds, {}, is not one of the numbers that its integers stand for", text(*value))
               : "what it adds is computed, or not finite";
}

void fuse_moves(Draft& draft, Policy policy) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!moves_bytes(draft, policy, i)) continue;
    const Node& node = draft.node(i);
    const std::optional<Operand> operand = find_operand(draft, node.inputs[0]);
    if (!operand || operand->scales.size() != 1 || !moves_type(policy, node, operand->dtype) ||
        !(operand->scales[0] > 0))
      continue;
    const std::optional<std::size_t> reader = draft.only_reader(node.outputs[0]);
    const std::optional<Result> result = reader ? result_at(draft, *reader) : std::nullopt;
    if (result && result->anchor == i && same_parameters(*operand, *result) &&
        (policy != Policy::kExact || !overflow(*operand)))
      fuse_move(draft, *result, *operand);
    // ONNX Runtime leaves that of a constant where it is.
    else if (may_pass(policy, node) && fill_comes_back(draft, node, *operand) &&
             (policy == Policy::kExact || (!result && draft.constant(operand->integers) == nullptr)))
      push_down(draft, i, *operand);
  }
  for (std::size_t i = draft.size(); i-- > 0;)
    for (std::optional<std::size_t> at = i; at;) at = pulled_up(draft, policy, *at);
}

}  // namespace octet
