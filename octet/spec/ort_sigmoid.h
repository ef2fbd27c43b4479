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
#include <cmath>

namespace octet {

inline float ort_sigmoid(float x) {
  if (std::isnan(x)) return x;
  const float v = std::clamp(x, -18.0F, 18.0F);
  const float u = v * v;
  float p = std::fma(4.37031012579801e-11F, u, 1.15627324459942e-07F);
  p = std::fma(p, u, 6.08574864600143e-05F);
  p = std::fma(p, u, 8.51377133304701e-03F);
  p = std::fma(p, u, 2.48287947061529e-01F);
  p = p * v;
  float q = std::fma(6.10247389755681e-13F, u, 5.76102136993427e-09F);
  q = std::fma(q, u, 6.29106785017040e-06F);
  q = std::fma(q, u, 1.70198817374094e-03F);
  q = std::fma(q, u, 1.16817656904453e-01F);
  q = std::fma(q, u, 9.93151921023180e-01F);
  return std::clamp(p / q + 0.5F, 0.0F, 1.0F);
}

}  // namespace octet
