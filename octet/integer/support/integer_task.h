// integer_task.h: from the work of a step to its integer form.
#pragma once

#include "octet/integer/integer_program.h"
#include "octet/spec/known_forms.h"

namespace octet {

// Where the tensors of an IntegerProgram come from: the values that its steps name.
class TensorTable {
 public:
  TensorTable(const Program& program, std::vector<IntegerTensor>& tensors);

  // The tensor of a value, which is added the first time.
  TensorId operator()(ValueId value);
  // A value whose elements stand in another order: the caller's.
  TensorId rearranged(ValueId value, Tensor constant);

  Shape shape(TensorId tensor) const { return tensors_[tensor].shape; }
  DType type(TensorId tensor) const { return tensors_[tensor].type; }
  // The value of each tensor.
  const std::vector<ValueId>& values() const { return values_; }
  // What was found for the tasks before.
  KnownForms& forms() { return forms_; }

 private:
  const Program& program_;
  std::vector<IntegerTensor>& tensors_;
  std::vector<std::optional<TensorId>> ids_;  // of each value
  std::vector<ValueId> values_;
  KnownForms forms_;
};

// Requires work that has not been refused (refusal.h).
integer::Task integer_task(const Work& work, TensorTable& tensors);

}  // namespace octet
