// fuse_chains.cc: what dynamic quantizers write behind an integer sum: Cast to float, Mul by the product of the scales,
// Add of a float bias. One step: the sum, then y = f32(acc) * S, then + bias, each operation rounded as in the file.
#include <fmt/core.h>

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// The nodes from the sum on, each the only reader of the one before.
struct Chain {
  std::size_t sum;
  std::size_t cast;
  std::optional<std::size_t> scales;  // Mul that makes S
  std::size_t scale;                  // Mul by S
  std::string by;                     // S
  std::optional<std::size_t> bias;
};

std::optional<std::size_t> next(const Draft& draft, std::size_t step, const Operator& op) {
  const std::optional<std::size_t> reader = draft.only_reader(draft.node(step).outputs[0]);
  return reader && draft.is(*reader, op) ? reader : std::nullopt;
}

std::string other_input(const Draft& draft, std::size_t step, const std::string& one) {
  const Node& node = draft.node(step);
  return node.inputs[0] == one ? node.inputs[1] : node.inputs[0];
}

std::optional<Chain> chain_at(const Draft& draft, std::size_t sum) {
  if (!draft.is(sum, ops::kConvInteger) && !draft.is(sum, ops::kMatMulInteger)) return std::nullopt;
  const std::optional<std::size_t> cast = next(draft, sum, ops::kCast);
  if (!cast || draft.node(*cast).attributes.get_int("to", 0) != static_cast<std::int64_t>(DType::kFloat))
    return std::nullopt;
  const std::optional<std::size_t> scale = next(draft, *cast, ops::kMul);
  if (!scale) return std::nullopt;
  Chain chain{sum, *cast, std::nullopt, *scale, other_input(draft, *scale, draft.node(*cast).outputs[0]), std::nullopt};
  const std::optional<std::size_t> scales = draft.producer(chain.by);
  if (scales && draft.is(*scales, ops::kMul) && draft.only_reader(chain.by)) chain.scales = scales;
  chain.bias = next(draft, *scale, ops::kAdd);
  if (chain.bias && !draft.constant(other_input(draft, *chain.bias, draft.node(*scale).outputs[0])))
    chain.bias = std::nullopt;
  return chain;
}

std::string input_of(const Node& node, std::size_t i) { return i < node.inputs.size() ? node.inputs[i] : ""; }

// com.microsoft MatMulIntegerToFloat says it in one operator when S is the product of A's scale and B's.
std::optional<Node> as_one_operator(const Draft& draft, const Chain& chain) {
  const Node& sum = draft.node(chain.sum);
  if (!is(sum, ops::kMatMulInteger) || !chain.scales) return std::nullopt;
  if (draft.dtype(sum.inputs[0]) == DType::kInt8 && draft.dtype(sum.inputs[1]) == DType::kUint8) return std::nullopt;
  const Node& product = draft.node(*chain.scales);
  const bool first = draft.constant(product.inputs[1]) != nullptr;  // a_scale * b_scale, and multiplication commutes
  const std::string &a_scale = product.inputs[first ? 0 : 1], &b_scale = product.inputs[first ? 1 : 0];
  const Tensor* columns = draft.constant(b_scale);
  const auto fact = draft.facts().find(a_scale);
  const auto b = draft.facts().find(sum.inputs[1]);
  if (!columns || columns->dtype() != DType::kFloat || columns->rank() > 1 || fact == draft.facts().end() ||
      b == draft.facts().end() || !b->second.shape || b->second.shape->size() != 2 || !fact->second.shape ||
      concrete(*fact->second.shape).value_or(Shape{2}) != Shape{})
    return std::nullopt;
  if (columns->size() != 1 && !b->second.shape->back().is(columns->size())) return std::nullopt;
  if (const auto zero_point = draft.facts().find(input_of(sum, 2));
      zero_point != draft.facts().end() && zero_point->second.shape.value_or(SymbolicShape{2}) != SymbolicShape{} &&
      zero_point->second.shape.value_or(SymbolicShape{2}) != SymbolicShape{1})
    return std::nullopt;  // one for each row
  Node node{.name = draft.step(chain.sum).name, .op_type = "MatMulIntegerToFloat", .domain = "com.microsoft"};
  node.inputs = {sum.inputs[0], sum.inputs[1], a_scale, b_scale, input_of(sum, 2), input_of(sum, 3)};
  if (chain.bias) {
    const std::string bias = other_input(draft, *chain.bias, draft.node(chain.scale).outputs[0]);
    const Tensor* values = draft.constant(bias);
    if (values->dtype() != DType::kFloat || values->rank() != 1 || !b->second.shape->back().is(values->size()))
      return std::nullopt;
    node.inputs.push_back(bias);
  }
  return node;
}

// com.microsoft DynamicQuantizeMatMul also quantizes its input, where nothing else reads what DynamicQuantizeLinear
// made.
void absorb_quantization(Draft& draft, std::size_t product) {
  const Node node = draft.node(product);
  const std::optional<std::size_t> quantize = draft.producer(node.inputs[0]);
  if (!quantize || !draft.is(*quantize, ops::kDynamicQuantizeLinear) || draft.dtype(node.inputs[0]) != DType::kUint8)
    return;
  const Node source = draft.node(*quantize);
  if (node.inputs[2] != source.outputs[1] || node.inputs[4] != source.outputs[2]) return;
  for (const std::string& output : source.outputs)
    if (draft.only_reader(output) != product) return;
  DraftStep step = draft.step(product);
  step.sources.insert(draft.sources(*quantize).begin(), draft.sources(*quantize).end());
  Node& target = step.nodes[0];
  target.op_type = "DynamicQuantizeMatMul";
  target.inputs = {source.inputs[0], node.inputs[1], node.inputs[3], node.inputs[5]};
  if (node.inputs.size() > 6) target.inputs.push_back(node.inputs[6]);
  draft.replace(*quantize, {});
  draft.replace(product, std::move(step));
}

}  // namespace

void fuse_chains(Draft& draft, Policy policy) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Chain> chain = chain_at(draft, i);
    if (!chain) continue;
    std::vector<std::size_t> members = {chain->sum, chain->cast};
    if (chain->scales) members.push_back(*chain->scales);
    members.push_back(chain->scale);
    if (chain->bias) members.push_back(*chain->bias);
    const bool convolution = draft.is(i, ops::kConvInteger);
    std::optional<Node> one = as_one_operator(draft, *chain);
    if (!one && policy == Policy::kOnnxRuntime) continue;  // it leaves these nodes as they are

    DraftStep step{.kind = convolution ? StepKind::kConvolution : StepKind::kMatMul,
                   .name = draft.step(i).name,
                   .nodes = {},
                   .sources = {},
                   .reason = {},
                   .warnings = {}};
    for (const std::size_t member : members) {
      step.sources.insert(draft.sources(member).begin(), draft.sources(member).end());
      if (member != chain->sum) step.reason += (step.reason.empty() ? "" : ", ") + draft.node(member).op_type;
      if (!one) step.nodes.push_back(draft.node(member));
    }
    step.reason = fmt::format("{} with {} behind it", draft.node(i).op_type, step.reason);
    const std::size_t last = members.back();
    if (one) {
      one->outputs = draft.node(last).outputs;
      step.nodes = {std::move(*one)};
    }
    for (const std::size_t member : members)
      if (member != last) draft.replace(member, {});
    draft.replace(last, std::move(step));
    if (one && policy == Policy::kOnnxRuntime) absorb_quantization(draft, last);
  }
}

}  // namespace octet
