// ort_tanh.h: ONNX Runtime's float32 hyperbolic tangent, to the last bit.
//
//   u = v * v                                     v = x clamped to [-9, 9]
//   p = v * ((((((a13 u + a11) u + a9) u + a7) u + a5) u + a3) u + a1)
//   q = ((b6 u + b4) u + b2) u + b0
//   y = p / q
//
// A rational approximation, not libm. Every step of the two chains is a fused multiply-add; the last product of p is not.
// NaN stays NaN.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "octet/spec/fused_chain.h"

namespace octet {

inline constexpr std::array kOrtTanhOddChain = {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F,
                                                5.12229709037114e-08F,  1.48572235717979e-05F, 6.37261928875436e-04F,
                                                4.89352455891786e-03F};
inline constexpr std::array kOrtTanhEvenChain = {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F,
                                                 4.89352518554385e-03F};

inline float ort_tanh(float x) {
  if (std::isnan(x)) return x;
  const float v = std::clamp(x, -9.0F, 9.0F);
  const float u = v * v;
  const float p = fused_chain(kOrtTanhOddChain, u) * v;
  const float q = fused_chain(kOrtTanhEvenChain, u);
  return p / q;
}

}  // namespace octet
