// nearest_code.h: the nearest number of a small floating-point format, as its bits without the sign.
#pragma once

#include <algorithm>
#include <cmath>

namespace octet {

// Rounds a positive finite number to `mantissa_bits` below the leading one, ties to even. The code is as large as the
// number wants: the caller compares it with the largest one that the format has. Below 2^(1 - bias) the spacing of
// the numbers stops shrinking. A double holds every float32, and the scaled number, exactly.
inline double nearest_code(double magnitude, int bias, int mantissa_bits) {
  const int exponent = std::ilogb(magnitude);
  const int spacing = std::max(exponent, 1 - bias) - mantissa_bits;
  const double scaled = std::ldexp(magnitude, -spacing);
  double steps = std::floor(scaled);
  const double rest = scaled - steps;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(steps, 2.0) != 0)) steps += 1;
  const int base = std::max(exponent + bias, 1) - 1;  // a carry out of the mantissa walks into the exponent field
  return static_cast<double>(base) * (1 << mantissa_bits) + steps;
}

}  // namespace octet
