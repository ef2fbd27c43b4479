// ort_exp.h: ONNX Runtime's float32 exponential function, to the last bit.
//
//   m = round(x / ln 2)                           by adding and subtracting 1.5 * 2^23 in a fused multiply-add
//   r = x - m ln 2                                in two fused multiply-adds, ln 2 being a sum of two floats
//   p = ((((c0 r + c1) r + c2) r + c3) r + c4) r + 1
//   y = (p r + 1) * 2^m
//
// A polynomial, not libm. Every step of the chains is a fused multiply-add. NaN stays NaN.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "octet/spec/fused_chain.h"

namespace octet {

inline constexpr std::array kOrtExpChain = {0x1.694000p-10F, 0x1.125edcp-7F, 0x1.555b5ap-5F,
                                            0x1.555450p-3F,  0x1.fffff6p-2F, 1.0F};

struct OrtExp {
  float biased;  // m, in the last bits of 1.5 * 2^23 + m
  float r, p;

  // |x| is below 104.
  explicit OrtExp(float x) {
    constexpr float kBias = 12582912;
    biased = std::fma(x, 1.44269504088896341F, kBias);
    const float m = biased - kBias;
    r = std::fma(m, -6.93145752e-1F, x);
    r = std::fma(m, -1.42860677e-6F, r);
    p = fused_chain(kOrtExpChain, r);
  }

  std::int32_t exponent() const {
    return std::bit_cast<std::int32_t>(biased) - std::bit_cast<std::int32_t>(12582912.0F);
  }
};

// 2^m for m in [-127, 127]; 0 for -127.
inline float ort_power_of_two(std::int32_t m) { return std::bit_cast<float>((m + 127) << 23); }

// x is clamped to [-103.97, 88.78], where y is the smallest number and infinity. 2^m is two factors, the first of which is
// 1 unless m is outside [-126, 127].
inline float ort_exp(float x) {
  if (std::isnan(x)) return x;
  const OrtExp e(std::clamp(x, -103.9720840454F, 88.7762626647950F));
  const std::int32_t m = e.exponent(), normal = std::clamp(m, -126, 127);
  const float beyond = ort_power_of_two(m - normal);
  return std::fma(e.p, e.r * beyond, beyond) * ort_power_of_two(normal);
}

// For x <= 0: what softmax sums. x is clamped to -88.38, where y is 0.
inline float ort_exp_of_negative(float x) {
  if (std::isnan(x)) return x;
  const OrtExp e(std::max(x, -88.3762626647949F));
  return std::fma(e.p, e.r, 1.0F) * ort_power_of_two(e.exponent());
}

}  // namespace octet
