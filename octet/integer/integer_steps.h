// integer_steps.h: the steps of a program that are of integers alone, among others that are not.
#pragma once

#include "octet/integer/integer_program.h"

namespace octet {

struct IntegerSteps {
  std::vector<IntegerTensor> tensors;
  std::vector<ValueId> values;                      // of each tensor, in the Program
  std::vector<std::optional<integer::Task>> tasks;  // of each step of the Program
  std::vector<std::string> refusals;                // why a step has none
};

// Throws kUsage where the shape of an input is not known, as integer_program does.
IntegerSteps integer_steps(const Program& program);

}  // namespace octet
