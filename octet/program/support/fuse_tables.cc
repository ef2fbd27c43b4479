// fuse_tables.cc: element by element from DequantizeLinear to QuantizeLinear. A byte has 256 values, so whatever
// happens on the way, computed in float exactly as the file says, is a table; ONNX can say it as Gather(table,
// Cast(x)).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "octet/base/error.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr std::array<std::string_view, 38> kUnary = {
    "Abs",       "Acos", "Acosh",    "Asin",     "Asinh",      "Atan",  "Atanh", "Ceil",        "Celu",      "Clip",
    "Cos",       "Cosh", "Elu",      "Erf",      "Exp",        "Floor", "Gelu",  "HardSigmoid", "HardSwish", "Identity",
    "LeakyRelu", "Log",  "Mish",     "Neg",      "Reciprocal", "Relu",  "Round", "Selu",        "Sigmoid",   "Sign",
    "Sin",       "Sinh", "Softplus", "Softsign", "Sqrt",       "Swish", "Tan",   "Tanh"};
// With a constant of one element as the other operand.
constexpr std::array<std::string_view, 7> kBinary = {"Add", "Div", "Max", "Min", "Mul", "Pow", "Sub"};

// The input that is not constant, of an operator on each element alone.
std::optional<std::size_t> element_input(const Draft& draft, const Node& node) {
  if (!node.domain.empty() || node.outputs.size() != 1) return std::nullopt;
  if (std::find(kUnary.begin(), kUnary.end(), node.op_type) != kUnary.end()) {
    const bool known = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                   [&](const std::string& input) { return input.empty() || draft.constant(input); });
    return known ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (std::find(kBinary.begin(), kBinary.end(), node.op_type) == kBinary.end() || node.inputs.size() != 2)
    return std::nullopt;
  for (const std::size_t i : {0U, 1U}) {
    const Tensor* other = draft.constant(node.inputs[1 - i]);
    const auto fact = draft.facts().find(node.inputs[i]);
    // It must not add a dimension: the shape stays.
    const bool fits =
        other && (other->rank() == 0 || (fact != draft.facts().end() && fact->second.shape &&
                                         static_cast<std::int64_t>(fact->second.shape->size()) >= other->rank()));
    if (fits && other->size() == 1 && !draft.constant(node.inputs[i])) return i;
  }
  return std::nullopt;
}

std::vector<std::int64_t> path_to_operand(Draft& draft, std::size_t quantize, std::optional<Operand>& operand) {
  std::vector<std::int64_t> path;
  std::string value = draft.node(quantize).inputs[0];
  for (;;) {
    operand = find_operand(draft, value);
    if (operand) return path;
    const std::optional<std::size_t> step = draft.producer(value);
    if (!step || draft.step(*step).nodes.size() != 1 || !draft.only_reader(value)) return {};
    const std::optional<std::size_t> input = element_input(draft, draft.node(*step));
    if (!input) return {};
    path.insert(path.begin(), static_cast<std::int64_t>(*step));
    value = draft.node(*step).inputs[*input];
  }
}

// Applies one node to the 256 values; `value` is the only input that is not constant.
Tensor apply(const Draft& draft, const Node& node, const std::string& variable, const Tensor& value) {
  static const Arithmetic arithmetic;
  static const Parallel parallel(1);
  std::vector<Tensor> inputs;
  for (const std::string& input : node.inputs) {
    const Tensor* constant = input.empty() ? nullptr : draft.constant(input);
    inputs.push_back(input == variable ? value : constant ? *constant : Tensor());
  }
  return execute(*find_operator(node.domain, node.op_type), draft.model().opset(node), node.attributes, inputs, 1,
                 {arithmetic, parallel})[0];
}

void fuse_table(Draft& draft, const Result& result, const Operand& operand, const std::vector<std::int64_t>& path) {
  // Gather counts negative indices from the end: entry x of int8 x stands where its bits, read as uint8, say.
  Tensor values(operand.dtype, {256});
  for (std::size_t k = 0; k < 256; ++k) values.mutable_bytes()[k] = static_cast<std::byte>(k);
  DraftStep step{.kind = StepKind::kTable,
                 .name = draft.step(path.empty() ? result.quantize : static_cast<std::size_t>(path.back())).name,
                 .nodes = {},
                 .sources = draft.sources(result.quantize),
                 .reason = path.empty() ? "DequantizeLinear and QuantizeLinear of other parameters" : "",
                 .warnings = {}};
  step.sources.insert(draft.sources(operand.step).begin(), draft.sources(operand.step).end());
  std::string variable = operand.integers;
  const auto advance = [&](const Node& node) {
    values = apply(draft, node, variable, values);
    variable = node.outputs[0];
  };
  advance(draft.node(operand.step));
  for (const std::int64_t index : path) {
    const auto at = static_cast<std::size_t>(index);
    advance(draft.node(at));
    step.sources.insert(draft.sources(at).begin(), draft.sources(at).end());
    step.reason += (step.reason.empty() ? "" : ", ") + draft.node(at).op_type;
  }
  if (!path.empty()) step.reason += " between DequantizeLinear and QuantizeLinear";
  advance(draft.node(result.quantize));
  const std::string table = draft.add_constant(result.integers + "_table", values);
  const std::string indices = draft.new_name(result.integers + "_indices");
  Node cast{.name = step.name + "_indices", .op_type = "Cast", .inputs = {operand.integers}, .outputs = {indices}};
  cast.attributes.set("to", static_cast<std::int64_t>(DType::kInt32));
  draft.set_dtype(indices, DType::kInt32);
  Node gather{.name = step.name, .op_type = "Gather", .inputs = {table, indices}, .outputs = {result.integers}};
  step.nodes = {std::move(cast), std::move(gather)};
  draft.set_meaning(operand.integers, operand.whole());
  draft.set_meaning(result.integers, result.quantization);
  draft.replace(result.quantize, std::move(step));
}

}  // namespace

void fuse_tables(Draft& draft) {
  if (draft.opset() < 11) return;  // negative indices of Gather
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || bits(result->dtype) != 8) continue;
    std::optional<Operand> operand;
    const std::vector<std::int64_t> path = path_to_operand(draft, i, operand);
    if (!operand || operand->scales.size() != 1 || bits(operand->dtype) != 8) continue;
    try {
      fuse_table(draft, *result, *operand, path);
    } catch (const Error& error) {
      draft.decline(i, error.what());
    }
  }
}

}  // namespace octet
