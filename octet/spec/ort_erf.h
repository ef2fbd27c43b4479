// ort_erf.h: ONNX Runtime's float32 error function, to the last bit.
//
//   |x| <  0.921875    y = |x| + |x| * p(x^2)                                 p of degree 5
//   |x| >= 0.921875    y = 1 - exp(-(v + v * q(v)))                           q of degree 6; v = min(|x|, 3.925)
//
// with x's sign. Every step of a chain is a fused multiply-add; exp has a polynomial of its own. NaN stays NaN.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "octet/spec/fused_chain.h"

namespace octet {

inline constexpr std::array kOrtErfChain = {-5.99104969e-4F, 4.99339588e-3F,  -2.67667342e-2F,
                                            1.12818025e-1F,  -3.76124859e-1F, 1.28379151e-1F};
inline constexpr std::array kOrtErfTailChain = {1.72948930e-5F, -3.83208680e-4F, 3.88393435e-3F, -2.42545605e-2F,
                                                1.06777847e-1F, 6.34846687e-1F,  1.28717512e-1F};
inline constexpr std::array kOrtErfExpChain = {
    1.38319808e-3F, 8.37550033e-3F, 4.16689515e-2F, 1.66664466e-1F, 4.99999851e-1F, 1.0F, 1.0F};

// exp(x) for x in [-88, 0].
inline float ort_erf_exp(float x) {
  constexpr float kBias = 12582912;
  const float m = std::fma(1.44269504088896341F, x, kBias) - kBias;
  const float r = std::fma(m, -1.42860677e-6F, std::fma(m, -6.93145752e-1F, x));
  const float p = fused_chain(kOrtErfExpChain, r);
  return p * std::bit_cast<float>((static_cast<std::int32_t>(m) + 127) << 23);
}

inline float ort_erf(float x) {
  if (std::isnan(x)) return x;
  const float v = std::min(std::fabs(x), 3.925F);
  if (v < 0.921875F) {
    const float square = v * v;
    return std::copysign(std::fma(fused_chain(kOrtErfChain, square), v, v), x);
  }
  const float q = std::fma(fused_chain(kOrtErfTailChain, v), v, v);
  return std::copysign(1.0F - ort_erf_exp(-q), x);
}

}  // namespace octet
