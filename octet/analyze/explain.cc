#include "octet/analyze/explain.h"

#include <algorithm>
#include <array>
#include <map>

#include "octet/analyze/support/alternatives.h"
#include "octet/analyze/support/explainers.h"
#include "octet/analyze/support/writing.h"
#include "octet/base/fail.h"
#include "octet/program/run_operation.h"
#include "octet/spec/moves_elements.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

struct Entry {
  const Operator* op;
  void (*explain)(const Applied&, Findings&);
  unsigned choices = kNoChoice;
};
constexpr unsigned kAfter = kRounding | kZeroPointBefore;  // ONNX Runtime adds the zero point after rounding
constexpr unsigned kBefore = kRounding | kZeroPointAfter;  // and before it
constexpr Entry kEntries[] = {
    {&ops::kQLinearConv, explain_convolution, kAfter | kProduct},
    {&ops::kConvInteger, explain_convolution},
    {&ops::kQLinearMatMul, explain_matmul, kAfter | kProduct},
    {&ops::kQGemm, explain_matmul, kAfter | kProduct},
    {&ops::kMatMulInteger, explain_matmul},
    {&ops::kMatMulIntegerToFloat, explain_matmul},
    {&ops::kDynamicQuantizeMatMul, explain_dynamic_matmul},
    {&ops::kQLinearAdd, explain_addition, kBefore | kProduct | kOrder},
    {&ops::kQLinearMul, explain_multiplication, kBefore | kProduct},
    {&ops::kQLinearAveragePool, explain_average_pool, kBefore | kAfter | kProduct},
    {&ops::kQLinearGlobalAveragePool, explain_average_pool, kAfter | kProduct},
    {&ops::kQLinearConcat, explain_concatenation, kAfter},
    {&ops::kQLinearWhere, explain_choice, kAfter},
    {&ops::kQLinearSigmoid, explain_activation, kAfter},
    {&ops::kQLinearLeakyRelu, explain_activation, kAfter},
    {&ops::kQLinearSoftmax, explain_softmax, kAfter},
    {&ops::kQuantizeLinear, explain_quantize, kRounding},
    {&ops::kDynamicQuantizeLinear, explain_dynamic_quantize, kRounding},
    {&ops::kDequantizeLinear, explain_dequantize},
    {&ops::kMaxPool, explain_max_pool},
};
constexpr std::array kElementwise = {&ops::kAdd, &ops::kCast, &ops::kClip, &ops::kDiv,  &ops::kMax,
                                     &ops::kMin, &ops::kMul,  &ops::kNeg,  &ops::kRelu, &ops::kSub};

// Whether every element of the result is one of an input. A step's kind does not tell: it may be what 8-bit integers go
// through, whatever that does to them.
bool is_explained_move(const Operation& operation) {
  if (is(operation.op, ops::kWhere)) return true;
  if (is(operation.op, ops::kDropout)) return false;  // takes no integers, with which explain_move numbers elements
  if (is(operation.op, ops::kPad)) return operation.opset >= 11;  // before, what is padded with is an attribute
  return moves_elements(*operation.op, operation.attributes);
}

// That of a QLinearConv of com.microsoft is explain_whole: its channels may be last.
Entry entry_of(const Step& step, const Operation& operation) {
  for (const Entry& entry : kEntries)
    if (is(operation.op, *entry.op)) return entry;
  if (step.kind == StepKind::kTable && is(operation.op, ops::kGather)) return {operation.op, explain_table};
  if (std::ranges::find(kElementwise, operation.op) != kElementwise.end()) return {operation.op, explain_elementwise};
  return {operation.op, is_explained_move(operation) ? explain_move : explain_whole};
}

class Explainer {
 public:
  Explainer(const Program& program, const Step& step, const NamedTensors& values, const Arithmetic& arithmetic)
      : program_(program), step_(step), parallel_(1), environment_{arithmetic, parallel_} {
    for (const ValueId input : inputs_of(program, step)) {
      const std::string& name = program.values[input].name;
      const auto given = values.find(name);
      if (given == values.end())
        fail(ErrorCode::kUsage, "the value of {}, which {} reads, is missing", name, step.name);
      values_[input] = given->second;
    }
    for (const Operation& operation : step.operations) {
      std::vector<Tensor> outputs = run_operation(operation, arguments(operation), environment_);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (operation.outputs[i] != kNoValue) values_[operation.outputs[i]] = std::move(outputs[i]);
    }
  }

  Explanation explain(const std::string& tensor, const Shape& index) {
    for (const Operation& operation : step_.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue && program_.values[output].name == tensor) return explain(output, index);
    fail(ErrorCode::kUsage, "step {} does not make {}", step_.name, tensor);
  }

 private:
  std::vector<Tensor> arguments(const Operation& operation) const {
    std::vector<Tensor> result;
    for (const ValueId input : operation.inputs) result.push_back(input == kNoValue ? Tensor() : value(input));
    return result;
  }
  const Tensor& value(ValueId id) const {
    const auto found = values_.find(id);
    return found == values_.end() ? program_.values[id].constant : found->second;
  }

  Explanation explain(ValueId value, const Shape& index) {
    const Tensor& tensor = values_.at(value);
    if (!is_integer(tensor.dtype()) && !is_float(tensor.dtype()) && tensor.dtype() != DType::kBool)
      fail(ErrorCode::kUnsupported, "{} is {}: only numbers are explained", program_.values[value].name,
           name(tensor.dtype()));
    bool inside = index.size() == tensor.shape().size();
    for (std::size_t axis = 0; inside && axis < index.size(); ++axis)
      inside = index[axis] >= 0 && index[axis] < tensor.shape()[axis];
    if (!inside)
      fail(ErrorCode::kUsage, "{} is {}, and has no element {}", program_.values[value].name, to_string(tensor.shape()),
           to_string(index));
    Explanation explanation{.tensor = program_.values[value].name,
                            .index = index,
                            .shape = tensor.shape(),
                            .dtype = tensor.dtype(),
                            .quantization = program_.values[value].quantization,
                            .step = step_.name,
                            .kind = step_.kind,
                            .reason = step_.reason,
                            .sources = step_.sources,
                            .operations = {},
                            .result = {}};
    explain_into(value, index, explanation.operations);
    explanation.result = explanation.operations.back().result;
    return explanation;
  }

  // Appends the operation that makes the element, after those of the step that make what it read.
  void explain_into(ValueId value, const Shape& index, std::vector<ExplainedOperation>& operations) {
    for (const Operation& operation : step_.operations)
      for (std::size_t number = 0; number < operation.outputs.size(); ++number) {
        if (operation.outputs[number] != value) continue;
        Findings findings = explain_operation(operation, number, index);
        for (const Source& source : findings.sources)
          explain_into(operation.inputs[source.input], source.index, operations);
        operations.push_back(std::move(findings.operation));
      }
  }

  Findings explain_operation(const Operation& operation, std::size_t number, const Shape& index) {
    const ValueId value = operation.outputs[number];
    const Applied applied(program_, step_, operation, arguments(operation), number, values_.at(value), index,
                          environment_);
    Findings findings{{.op = std::string(operation.op->name),
                       .formula = std::string(operation.op->formula),
                       .tensor = program_.values[value].name,
                       .index = index},
                      {}};
    const Entry entry = entry_of(step_, operation);
    entry.explain(applied, findings);
    round_half(applied, findings);
    check(applied, findings.operation);
    explain_alternatives(applied, entry.choices, findings);
    for (Alternative& alternative : findings.operation.alternatives)
      alternative.differs = alternative.result != findings.operation.result;
    return findings;
  }

  // Kernels compute float16 and bfloat16 as float32, and round at the end.
  static void round_half(const Applied& applied, Findings& findings) {
    const float* real = std::get_if<float>(&findings.operation.result);
    if (!real || !is_half(applied.dtype())) return;
    const ExplainedValue rounded = value_at(convert(Tensor::scalar(*real), applied.dtype()), 0);
    if (rounded == findings.operation.result) return;
    findings.line("", "", rounded, fmt::format("rounded to {}", name(applied.dtype())));
    findings.operation.result = rounded;
  }

  // NaN equals NaN.
  static void check(const Applied& applied, const ExplainedOperation& operation) {
    const ExplainedValue computed = value_at(applied.output(), applied.element());
    const auto is_nan = [](const ExplainedValue& value) { return value != value; };
    if (operation.result == computed || (is_nan(operation.result) && is_nan(computed))) return;
    fail(ErrorCode::kUnsupported, "the explanation of {}{} ({}) disagrees with the operator: {} against {}",
         operation.tensor, to_string(operation.index), operation.op, text(operation.result), text(computed));
  }

  const Program& program_;
  const Step& step_;
  const Parallel parallel_;
  const Environment environment_;
  std::map<ValueId, Tensor> values_;
};

}  // namespace

Explanation explain_element(const Program& program, std::size_t step, const std::string& tensor, const Shape& index,
                            const NamedTensors& values, const Arithmetic& arithmetic) {
  validate(arithmetic);
  return Explainer(program, program.steps.at(step), values, arithmetic).explain(tensor, index);
}

}  // namespace octet
