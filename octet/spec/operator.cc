#include "octet/spec/operator.h"

#include <algorithm>

#include "octet/base/fail.h"

namespace octet {
namespace {

// Longer vectors are data, not shapes.
constexpr std::int64_t kMostElements = 1024;

std::optional<std::vector<Dim>> elements_of(const Tensor& constant) {
  const bool integers = constant.dtype() == DType::kInt64 || constant.dtype() == DType::kInt32;
  if (!integers || constant.rank() > 1 || constant.size() > kMostElements) return std::nullopt;
  const std::vector<std::int64_t> values = constant.to_ints();
  return std::vector<Dim>(values.begin(), values.end());
}

}  // namespace

Fact Fact::of(Tensor constant) {
  Fact fact;
  fact.dtype = constant.dtype();
  fact.shape = symbolic(constant.shape());
  fact.constant = std::move(constant);
  return fact;
}

Inference::Inference(int opset, const Attributes& attributes, std::vector<Fact> inputs, std::size_t output_count,
                     const Bodies& bodies)
    : opset_(opset), attributes_(attributes), inputs_(std::move(inputs)), outputs_(output_count), bodies_(bodies) {
  for (Fact& input : inputs_)
    if (!input.constant.empty()) input.elements = elements_of(input.constant);
}

bool Inference::has(std::size_t i) const { return i < inputs_.size() && inputs_[i].dtype != DType::kUndefined; }

const Fact& Inference::input(std::size_t i) const {
  if (!has(i)) fail(ErrorCode::kModel, "input {} is missing", i);
  return inputs_[i];
}

const Tensor* Inference::constant(std::size_t i) const {
  return has(i) && !inputs_[i].constant.empty() ? &inputs_[i].constant : nullptr;
}

const std::vector<Dim>* Inference::elements(std::size_t i) const {
  return has(i) && inputs_[i].elements ? &*inputs_[i].elements : nullptr;
}

void Inference::set_output(std::size_t i, DType dtype, std::optional<SymbolicShape> shape) {
  if (!wants(i)) return;
  outputs_[i].dtype = dtype;
  outputs_[i].shape = std::move(shape);
}

void Inference::set_elements(std::size_t i, std::vector<Dim> elements) {
  if (wants(i) && static_cast<std::int64_t>(elements.size()) <= kMostElements)
    outputs_[i].elements = std::move(elements);
}

Call::Call(int opset, const Attributes& attributes, const std::vector<Tensor>& inputs, std::vector<Fact> outputs,
           const Environment& environment)
    : opset_(opset),
      attributes_(attributes),
      inputs_(inputs),
      facts_(std::move(outputs)),
      outputs_(facts_.size()),
      environment_(environment) {
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const std::optional<Shape> shape = facts_[i].shape ? concrete(*facts_[i].shape) : std::nullopt;
    if (!shape) fail(ErrorCode::kUnsupported, "the shape of output {} is not known before it is computed", i);
    element_count(*shape);  // throws kLimit where it overflows
    shapes_.push_back(*shape);
  }
}

Tensor& Call::output(std::size_t i) {
  if (!outputs_[i].empty()) return outputs_[i];
  try {
    outputs_[i] = Tensor::uninitialized(facts_[i].dtype, shapes_[i]);
  } catch (const Error& error) {
    fail(error.code(), "output {} of shape {}: {}", i, to_string(shapes_[i]), error.message());
  }
  return outputs_[i];
}

std::vector<Tensor> Call::take_outputs() {
  for (std::size_t i = 0; i < facts_.size(); ++i) output(i);
  return std::move(outputs_);
}

std::vector<Tensor> execute(const Operator& op, int opset, const Attributes& attributes,
                            const std::vector<Tensor>& inputs, std::size_t output_count, const Environment& environment,
                            const Bodies& bodies) {
  if (op.control) return op.control({opset, attributes, inputs, output_count, bodies, environment});
  std::vector<Fact> facts;
  for (const Tensor& input : inputs) facts.push_back(input.empty() ? Fact() : Fact::of(input));
  Inference inference(opset, attributes, std::move(facts), output_count);
  op.infer(inference);
  std::vector<Fact>& outputs = inference.outputs();

  bool halves = false;
  for (const Tensor& input : inputs) halves = halves || is_half(input.dtype());
  if (op.halves == Halves::kAsIs || !halves) {
    Call call(opset, attributes, inputs, std::move(outputs), environment);
    op.compute(call);
    return call.take_outputs();
  }

  std::vector<Tensor> promoted;
  for (const Tensor& input : inputs) promoted.push_back(is_half(input.dtype()) ? convert(input, DType::kFloat) : input);
  std::vector<DType> wanted;
  for (Fact& output : outputs) {
    wanted.push_back(output.dtype);
    if (is_half(output.dtype)) output.dtype = DType::kFloat;
  }
  Call call(opset, attributes, promoted, std::move(outputs), environment);
  op.compute(call);
  std::vector<Tensor> results = call.take_outputs();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].dtype() != wanted[i]) results[i] = convert(results[i], wanted[i]);
  return results;
}

std::optional<std::size_t> input_number(const Operator& op, Role role, std::size_t n) {
  const auto found = std::find(op.inputs.begin(), op.inputs.end(), role);
  if (found == op.inputs.end()) return std::nullopt;
  const auto first = static_cast<std::size_t>(found - op.inputs.begin());
  const bool repeats = first + op.repeated >= op.inputs.size();
  return n == 0 || repeats ? std::optional(first + n * op.repeated) : std::nullopt;
}

std::optional<std::size_t> output_number(const Operator& op, Role role) {
  const auto found = std::find(op.outputs.begin(), op.outputs.end(), role);
  if (found == op.outputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - op.outputs.begin());
}

bool is(const Operator* op, const Operator& wanted) { return op && (op == &wanted || op->same_as == &wanted); }

bool has(const Operator* op, Trait trait) { return op && op->traits.has(trait); }

}  // namespace octet
