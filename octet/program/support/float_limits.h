// float_limits.h: where float32 ends. A pattern's integer form equals its float form but for rounding only while no
// number on the way is infinite, and none so small that float32 holds it with fewer digits. The scales decide this before
// the program runs, so exact fusion checks it first.
//
// What may be summed up is taken to be fewer than 2^32 numbers, and 8 bits reach 255 from their zero point.
#pragma once

#include "octet/program/support/patterns.h"

namespace octet {

// Nothing when (q - z) * scale is finite in float32 for every q of the operand's type, so that QuantizeLinear with the
// same parameters gives q back; else a sentence that says which is not.
std::optional<std::string> overflow(const Operand& operand);

// Each throws NotFused, with the number that leaves float32.

void require_finite(const Operand& operand);

// scale_a * scale_b [* alpha], the unit of a sum of products: no sum of them overflows, and the unit has all its digits
// or (with a result whose scale is known) is so small that every sum rounds to 0. unit / y_scale is finite, and y_scale
// has all its digits.
struct SumUnit {
  float a, b;
  float alpha = 1;
};
void require_sums(const SumUnit& unit, const Quantization* y);

// a + b: the sum is finite, and in units of y's scale an int32, which is what the kernel makes of it before it saturates.
void require_addition(const Operand& a, const Operand& b, const Quantization& y);
// a * b, likewise.
void require_multiplication(const Operand& a, const Operand& b, const Quantization& y);
// The average of up to 2^32 elements: sums and y_scale * elements are finite, and x_scale / y_scale is such that ONNX
// Runtime runs it: it refuses multipliers x_scale / (y_scale * elements) of 256 and above, and below 2^-32.
void require_average(const Operand& x, const Quantization& y);

}  // namespace octet
