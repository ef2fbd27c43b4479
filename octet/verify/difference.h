// difference.h: how two tensors of the same meaning differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "octet/base/tensor.h"

namespace octet {

struct Difference {
  std::int64_t elements = 0;
  std::vector<std::int64_t> differing;  // where, in row-major order
  double largest = 0;                   // |a - b|, of those that differ if any do; of integers, in LSB
  double tolerance = 0;                 // of that very element; where all are the same, the largest there is
  std::string wrong;                    // another type or shape: nothing was compared. Else empty

  bool equal() const { return wrong.empty() && differing.empty(); }
};

// Integers and bool are compared exactly. Floating-point numbers differ where |a - b| is above the element's tolerance
// (0 where there is none); NaN equals NaN, and an infinity itself only.
Difference difference(const Tensor& a, const Tensor& b, std::span<const double> tolerances = {});
// Every bit counts: floats too are compared exactly, and 0 is not -0. Any NaN equals any other.
Difference bit_difference(const Tensor& a, const Tensor& b);

// The index of an element, from its place in row-major order.
Shape index_at(const Shape& shape, std::int64_t element);
// "conv2_output[0,5,7,9]".
std::string element_name(const std::string& tensor, const Shape& index);

}  // namespace octet
