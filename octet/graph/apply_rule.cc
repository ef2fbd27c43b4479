#include "octet/graph/apply_rule.h"

#include <algorithm>

#include "octet/spec/operators.h"

namespace octet {
namespace {

// Constants larger than this are weights: what is computed from them is not needed before the network runs.
constexpr std::int64_t kMostFolded = 1024;
// Inputs times outputs, summed over all folded nodes: a bound on the time and memory that folding takes.
constexpr std::int64_t kFoldingBudget = std::int64_t{1} << 31;

// An integer scalar or vector whose elements are all known is a constant.
void settle(Fact& fact) {
  if (!fact.elements || !fact.constant.empty() || !fact.shape) return;
  const std::optional<Shape> values = concrete(*fact.elements);
  const std::optional<Shape> shape = concrete(*fact.shape);
  if (!values || !shape || element_count(*shape) != static_cast<std::int64_t>(values->size())) return;
  fact = Fact::of(convert(Tensor::from<std::int64_t>(*shape, *values), fact.dtype));
}

}  // namespace

std::vector<Fact> RuleApplier::apply(const Operator& op, int opset, const Attributes& attributes,
                                     const std::vector<Fact>& inputs, std::size_t output_count, const Bodies& bodies) {
  const bool all_constant = !op.control && std::all_of(inputs.begin(), inputs.end(), [](const Fact& input) {
    return input.dtype == DType::kUndefined || !input.constant.empty();
  });
  Inference inference(opset, attributes, inputs, output_count, bodies);
  op.infer(inference);
  std::vector<Fact> found = std::move(inference.outputs());
  if (!all_constant || !is_worth_folding(op, inputs, found)) {
    std::for_each(found.begin(), found.end(), settle);
    return found;
  }
  std::vector<Tensor> tensors;
  for (const Fact& input : inputs) tensors.push_back(input.constant);
  std::vector<Fact> outputs;
  for (Tensor& output : execute(op, opset, attributes, tensors, output_count, Environment{arithmetic_, parallel_}))
    outputs.push_back(Fact::of(std::move(output)));
  return outputs;
}

bool RuleApplier::is_worth_folding(const Operator& op, const std::vector<Fact>& inputs,
                                   const std::vector<Fact>& outputs) {
  if (is(&op, ops::kConstant) || is(&op, ops::kIdentity)) return true;  // nothing is computed
  std::int64_t in = 64, out = 64;                                       // what a node costs whatever its size
  for (const Fact& input : inputs) {
    if (input.constant.size() > kMostFolded) return false;
    in += input.constant.size();
  }
  for (const Fact& output : outputs) {
    const std::optional<Shape> shape = output.shape ? concrete(*output.shape) : std::nullopt;
    const std::int64_t size = shape ? element_count(*shape) : kMostFolded + 1;
    if (size > kMostFolded) return false;
    out += size;
  }
  folded_ += in * out;
  return folded_ <= kFoldingBudget;
}

}  // namespace octet
