#include "octet/spec/operator.h"

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

Inference::Inference(int opset, const Attributes& attributes, std::vector<Fact> inputs, std::size_t output_count)
    : opset_(opset), attributes_(attributes), inputs_(std::move(inputs)), outputs_(output_count) {
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
    const std::int64_t count = element_count(*shape);
    const auto width = static_cast<std::int64_t>(size_of(facts_[i].dtype));
    if (width > 0 && count > environment.max_output_bytes / width)
      fail(ErrorCode::kLimit, "output {} of shape {} would take {} elements of {} bytes; the limit is {} bytes", i,
           to_string(*shape), count, width, environment.max_output_bytes);
    shapes_.push_back(*shape);
  }
}

Tensor& Call::output(std::size_t i) {
  if (outputs_[i].empty()) outputs_[i] = Tensor::uninitialized(facts_[i].dtype, shapes_[i]);
  return outputs_[i];
}

std::vector<Tensor> Call::take_outputs() {
  for (std::size_t i = 0; i < facts_.size(); ++i) output(i);
  return std::move(outputs_);
}

std::vector<Tensor> execute(const Operator& op, int opset, const Attributes& attributes,
                            const std::vector<Tensor>& inputs, std::size_t output_count,
                            const Environment& environment) {
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

}  // namespace octet
