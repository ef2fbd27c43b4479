#include "octet/analyze/support/applied.h"

namespace octet {
namespace {

std::vector<Tensor> promoted(const Operator& op, std::vector<Tensor> inputs) {
  if (op.halves == Halves::kPromote)
    for (Tensor& input : inputs)
      if (is_half(input.dtype())) input = convert(input, DType::kFloat);
  return inputs;
}

// For the requested output; the ones before it are ignored.
std::vector<Fact> facts(std::size_t number, const Tensor& output) {
  std::vector<Fact> result(number + 1);
  for (Fact& fact : result) fact = {.dtype = output.dtype(), .shape = symbolic(output.shape())};
  return result;
}

}  // namespace

Shape index_of(std::int64_t element, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis]) index[axis] = element % shape[axis];
  return index;
}

std::int64_t element_of(const Shape& index, const Shape& shape) {
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) element = element * shape[axis] + index[axis];
  return element;
}

Applied::Applied(const Program& program, const Step& step, const Operation& operation, std::vector<Tensor> inputs,
                 std::size_t output_number, Tensor output, Shape index, const Environment& environment)
    : program_(program),
      step_(step),
      operation_(operation),
      environment_(environment),
      inputs_(promoted(*operation.op, std::move(inputs))),
      output_number_(output_number),
      output_(std::move(output)),
      index_(std::move(index)),
      element_(element_of(index_, output_.shape())),
      call_(operation.opset, operation.attributes, inputs_, facts(output_number, output_), environment) {}

Applied::Applied(const Applied& applied, const Operation& operation, std::vector<Tensor> inputs)
    : Applied(applied.program_, applied.step_, operation, std::move(inputs), applied.output_number_, applied.output_,
              applied.index_, applied.environment_) {}

std::string Applied::input_name(std::size_t i) const {
  const ValueId value = operation_.inputs[i];
  return value == kNoValue ? "" : program_.values[value].name;
}

std::vector<Tensor> Applied::run(const Arithmetic& arithmetic) const {
  return execute(*operation_.op, operation_.opset, operation_.attributes, inputs_, operation_.outputs.size(),
                 {arithmetic, environment_.parallel});
}

std::vector<Tensor> Applied::run(const std::vector<Tensor>& inputs, std::size_t outputs) const {
  return execute(*operation_.op, operation_.opset, operation_.attributes, inputs, outputs, environment_);
}

std::int64_t Applied::broadcast_element(const Shape& operand) const {
  const std::vector<std::int64_t> strides = broadcast_strides(operand, output_.shape());
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < index_.size(); ++axis) element += index_[axis] * strides[axis];
  return element;
}

ExplainedSection& Findings::section(std::string title) {
  return operation.sections.emplace_back(ExplainedSection{std::move(title)});
}

void Findings::line(std::string label, std::string formula, ExplainedValue value, std::string note) {
  operation.sections.back().lines.push_back(
      {std::move(label), std::move(formula), std::move(value), std::nullopt, std::move(note)});
}

void Findings::line(std::string label, std::string formula, ExplainedValue value, const Exact& exact,
                    std::string note) {
  operation.sections.back().lines.push_back(
      {std::move(label), std::move(formula), std::move(value), exact_value(exact), std::move(note)});
}

void Findings::alternative(std::string rule, ExplainedValue result, std::string note) {
  operation.alternatives.push_back({std::move(rule), std::move(result), false, std::move(note)});
}

void Findings::read(const Applied& applied, std::string label, std::size_t i, std::int64_t element) {
  Shape index = index_of(element, applied.input(i).shape());
  line(std::move(label), "", value_at(applied.input(i), element), applied.input_name(i) + to_string(index));
  sources.push_back({i, std::move(index)});
}

ExplainedValue value_at(const Tensor& tensor, std::int64_t element) {
  if (tensor.dtype() == DType::kDouble) return tensor.number_at(element);
  if (is_float(tensor.dtype()) || is_minifloat(tensor.dtype())) return static_cast<float>(tensor.number_at(element));
  return tensor.int_at(element);
}

}  // namespace octet
