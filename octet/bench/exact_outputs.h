// exact_outputs.h: what a program computes exactly, and how much of another result is that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

struct ExactOutput {
  Tensor tensor;
  // By element, how far another computation of the float step that makes it may lie away (verify/float_tolerance.h); none
  // where it must be equal.
  std::vector<double> tolerances;
};
using ExactOutputs = std::map<std::string, ExactOutput>;

// As this engine computes them.
ExactOutputs exact_outputs(const Engine& engine, const NamedTensors& inputs);

struct Equality {
  std::int64_t elements = 0, equal_elements = 0;
  std::int64_t rows = 0, equal_rows = 0;  // indices of the first dimension; a tensor without dimensions is one row
};

// Compares all exact outputs; what `other` lacks, or has in another type or shape, is not equal. NaN equals NaN.
Equality equality(const ExactOutputs& exact, const NamedTensors& other);

}  // namespace octet
