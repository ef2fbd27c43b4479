// quantized_share.h: how much of a network is quantized. All commands show this number.
//
// Counted are the computing steps of the program that policy exact makes: all but conversions (QuantizeLinear,
// DequantizeLinear, DynamicQuantizeLinear, the bytes of 16 bits), work on shapes, indices and truth values, float steps that only
// move elements (Reshape, Transpose), and what makes nothing but scales and zero points. Quantized are those of them that compute on integers alone. A Relu fused with the
// convolution before it is part of that step, as are the Cast and the Mul behind a ConvInteger; a move of bytes is a step.
// The sums of bytes that make one sum of 16 bits count as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octet/program/program.h"

namespace octet {

struct QuantizedShare {
  std::int64_t quantized = 0, computing = 0;  // steps

  bool operator==(const QuantizedShare&) const = default;
};

// Whether each step of a program counts.
std::vector<bool> computing_steps(const Program& program);

QuantizedShare quantized_share(const Program& program);

// "15 of 16 computing steps".
std::string to_string(const QuantizedShare& share);

}  // namespace octet
