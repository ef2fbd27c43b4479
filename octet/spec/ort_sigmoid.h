// ort_sigmoid.h: ONNX Runtime's float32 sigmoid, to the last bit.
//
//   u = v * v                                     v = x clamped to [-18, 18]
//   p = v * ((((a9 u + a7) u + a5) u + a3) u + a1)
//   q = ((((b10 u + b8) u + b6) u + b4) u + b2) u + b0
//   y = p / q + 0.5 clamped to [0, 1]
//
// A rational approximation, not libm: at most 1.7e-7 from the exact value, which is relatively large below x = -10.
// Every step of the two chains is a fused multiply-add; the last product of p is not. NaN stays NaN.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "octet/spec/fused_chain.h"

namespace octet {

inline constexpr std::array kOrtSigmoidOddChain = {4.37031012579801e-11F, 1.15627324459942e-07F, 6.08574864600143e-05F,
                                                   8.51377133304701e-03F, 2.48287947061529e-01F};
inline constexpr std::array kOrtSigmoidEvenChain = {6.10247389755681e-13F, 5.76102136993427e-09F,
                                                    6.29106785017040e-06F, 1.70198817374094e-03F,
                                                    1.16817656904453e-01F, 9.93151921023180e-01F};

inline float ort_sigmoid(float x) {
  if (std::isnan(x)) return x;
  const float v = std::clamp(x, -18.0F, 18.0F);
  const float u = v * v;
  const float p = fused_chain(kOrtSigmoidOddChain, u) * v;
  const float q = fused_chain(kOrtSigmoidEvenChain, u);
  return std::clamp(p / q + 0.5F, 0.0F, 1.0F);
}

}  // namespace octet
