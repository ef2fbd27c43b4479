// minifloat.h: floating-point numbers of 8 and 4 bits, held as their bits in a byte.
//
//   type            sign  exponent  mantissa  bias  largest  NaN          infinity   zero
//   float8e4m3fn       1         4         3     7      448  0x7F, 0xFF   none       +0 and -0
//   float8e4m3fnuz     1         4         3     8      240  0x80         none       0
//   float8e5m2         1         5         2    15    57344  0x7D-0x7F, 0xFD-0xFF  0x7C, 0xFC  +0 and -0
//   float8e5m2fnuz     1         5         2    16    57344  0x80         none       0
//   float4e2m1         1         2         1     1        6  none         none       +0 and -0
//   float8e8m0         0         8         0   127    2^127  0xFF         none       none: 0x00 is 2^-127
//
// To a float8 or float4 a number is rounded to the nearest, ties to even; subnormal numbers too. What lies beyond the
// largest number after rounding, and infinity, becomes the largest number when saturating; else infinity in e5m2 and NaN in
// the others. float4 always saturates, and a NaN is 0 there, of the opposite sign, as the onnx package has it; the standard
// says nothing of it. -0 is 0 in the fnuz types. NaN keeps its sign in e4m3fn and e5m2.
//
// To e8m0 a number is rounded to a power of two by `powers`. Saturating, what is larger than 2^127 or smaller than 2^-127
// (0 and negative numbers, too) becomes the nearer end, and NaN stays. Else all of that is NaN.
#pragma once

#include <cstdint>
#include <span>

#include "octet/base/dtype.h"

namespace octet {

enum class PowerRounding { kUp, kDown, kNearest };  // kNearest: 1.5 times a power of two goes up

struct MinifloatRounding {
  bool saturate = true;
  PowerRounding powers = PowerRounding::kUp;  // to e8m0
};

// The numbers of all codes, 256 or 16 for float4. NaN is quiet, with the sign of its code.
std::span<const float> minifloat_values(DType dtype);

std::uint8_t minifloat_code(double value, DType dtype, const MinifloatRounding& rounding = {});

}  // namespace octet
