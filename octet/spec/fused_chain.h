// fused_chain.h: polynomials as ONNX Runtime evaluates them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace octet {

// (((c[0] x + c[1]) x + c[2]) x + ...) + c[last], every step a fused multiply-add.
template <std::size_t kSize>
float fused_chain(const std::array<float, kSize>& c, float x) {
  float sum = c[0];
  [&]<std::size_t... k>(std::index_sequence<k...>) { ((sum = std::fma(sum, x, c[k + 1])), ...); }
  (std::make_index_sequence<kSize - 1>());
  return sum;
}

}  // namespace octet
