// alternatives.h: what other rules make of the same numbers.
#pragma once

#include "octet/analyze/support/applied.h"

namespace octet {

// Which choices of an Arithmetic an operator has.
enum Choices : unsigned {
  kNoChoice = 0,
  kRounding = 1,
  kZeroPointBefore = 2,  // rounding, where ONNX Runtime adds it after
  kZeroPointAfter = 4,   // rounding, where ONNX Runtime adds it before
  kProduct = 8,          // of the accumulator and the multiplier
  kOrder = 16,           // of QLinearAdd's float operations
};

// Runs the operation under every other rule it has a choice of and adds what each gives.
void explain_alternatives(const Applied& applied, unsigned choices, Findings& findings);

}  // namespace octet
