// rotate.h: rotary position embedding of one head at one position.
//
//   (y[a], y[b]) = (x[a] * cos[k] - x[b] * sin[k], x[a] * sin[k] + x[b] * cos[k])         for pair k of the first `turned`
//
// a and b are k and k + turned / 2, or 2 k and 2 k + 1 when interleaved. The product with b is rounded, the other one and the
// sum are rounded together, as ONNX Runtime does; when interleaved, it rounds all three for the pairs behind the first one that
// fills no vector of 8. Elements behind `turned` are copied.
#pragma once

#include <algorithm>
#include <cstdint>

#include "octet/base/fused.h"

namespace octet {

struct Rotation {
  std::int64_t turned, size;  // of a head: the elements that are rotated, and all
  bool interleaved;
};

// y may be x.
template <typename T>
void rotate_head(const Rotation& rotation, const T* x, const T* cos, const T* sin, T* y) {
  const std::int64_t half = rotation.turned / 2;
  for (std::int64_t k = 0; k < half; ++k) {
    const std::int64_t a = rotation.interleaved ? 2 * k : k, b = rotation.interleaved ? 2 * k + 1 : k + half;
    const T real = x[a], imaginary = x[b];
    const bool fused = !rotation.interleaved || k <= half / 8 * 8;
    y[a] = fused ? fused_multiply_add(real, cos[k], -(imaginary * sin[k])) : real * cos[k] - imaginary * sin[k];
    y[b] = fused ? fused_multiply_add(real, sin[k], imaginary * cos[k]) : real * sin[k] + imaginary * cos[k];
  }
  std::copy(x + rotation.turned, x + rotation.size, y + rotation.turned);
}

}  // namespace octet
