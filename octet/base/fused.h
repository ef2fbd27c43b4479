// fused.h: a * b + c with one rounding, on machines that have no instruction for it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace octet {

// The product is exact in float64. Its sum with c, rounded to odd there (what does not fit makes the last bit 1), rounds
// to float32 as the exact sum does: float64 has more than two bits to spare (Boldo and Melquiond, 2008).
inline float fused_multiply_add(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b), addend = static_cast<double>(c);
  const double sum = product + addend;
  const double rest = sum - product;
  const double lost = (product - (sum - rest)) + (addend - rest);  // exactly; NaN if the sum is not finite
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((lost > 0 || lost < 0) && bits % 2 == 0) bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

inline double fused_multiply_add(double a, double b, double c) { return std::fma(a, b, c); }

}  // namespace octet
