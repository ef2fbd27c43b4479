// applied.h: one operation at work on one element of one of its outputs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "octet/analyze/explain.h"
#include "octet/analyze/support/exact.h"
#include "octet/spec/operator.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

// The position of element `element` of a tensor, counted in row-major order, and back.
Shape index_of(std::int64_t element, const Shape& shape);
std::int64_t element_of(const Shape& index, const Shape& shape);

class Applied {
 public:
  // `operation` is one of the step's; `inputs` are its arguments, `output` is the one asked for, already computed.
  Applied(const Program& program, const Step& step, const Operation& operation, std::vector<Tensor> inputs,
          std::size_t output_number, Tensor output, Shape index, const Environment& environment);
  // Another operator on other tensors, with the same result.
  Applied(const Applied& applied, const Operation& operation, std::vector<Tensor> inputs);

  const Step& step() const { return step_; }
  const Operation& operation() const { return operation_; }
  const Attributes& attributes() const { return operation_.attributes; }
  const Arithmetic& arithmetic() const { return environment_.arithmetic; }

  // As the kernel sees it: float16 and bfloat16 promoted where they are.
  const Call& call() const { return call_; }
  bool has(std::size_t i) const { return call_.has(i); }
  const Tensor& input(std::size_t i) const { return inputs_[i]; }
  std::string input_name(std::size_t i) const;
  // The number of the input that has a role, which the operator has; it may be left out. Of a repeated role, the n-th.
  std::size_t at(Role role, std::size_t n = 0) const { return *input_number(*operation_.op, role, n); }
  const Tensor& input(Role role) const { return inputs_[at(role)]; }

  Quantization quantization(Role scale, Role zero_point, std::size_t n = 0) const {
    return quantization_at(call_, at(scale, n), at(zero_point, n));
  }

  std::size_t output_number() const { return output_number_; }
  const Tensor& output() const { return output_; }
  DType dtype() const { return output_.dtype(); }
  const Shape& index() const { return index_; }
  std::int64_t element() const { return element_; }

  // The same operation by the rules of another arithmetic, on other inputs: all outputs.
  std::vector<Tensor> run(const Arithmetic& arithmetic) const;
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, std::size_t outputs) const;

  // Which element of an operand belongs to the element of the output, under numpy's broadcasting.
  std::int64_t broadcast_element(const Shape& operand) const;

 private:
  const Program& program_;
  const Step& step_;
  const Operation& operation_;
  const Environment& environment_;
  std::vector<Tensor> inputs_;
  std::size_t output_number_;
  Tensor output_;
  Shape index_;
  std::int64_t element_;
  Call call_;
};

// An element that was read; explained too where the same step makes it.
struct Source {
  std::size_t input;
  Shape index;
};

// What an explainer finds out.
struct Findings {
  ExplainedOperation operation;
  std::vector<Source> sources;

  ExplainedSection& section(std::string title);
  // A line of the last section.
  void line(std::string label, std::string formula, ExplainedValue value, std::string note = "");
  void line(std::string label, std::string formula, ExplainedValue value, const Exact& exact, std::string note = "");
  // What another rule gives; whether that differs is found out when the result is there.
  void alternative(std::string rule, ExplainedValue result, std::string note = "");
  // A line for element `index` of input `i`, which was read.
  void read(const Applied& applied, std::string label, std::size_t i, std::int64_t element);
};

// Element `element` of a tensor of numbers.
ExplainedValue value_at(const Tensor& tensor, std::int64_t element);

}  // namespace octet
