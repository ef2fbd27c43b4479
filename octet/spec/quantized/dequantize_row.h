// dequantize_row.h: neighbours of which each has a scale and a zero point of its own.
#pragma once

#include <cstdint>

#include "octet/base/vectorize.h"
#include "octet/spec/quantized/dequantize_linear.h"

namespace octet {

// y[k] = dequantize_linear(x[k], {scales[k], zero_points[k]}); null zero points are zeros.
template <typename T>
void dequantize_row(const T* x, std::int64_t count, const float* scales, const std::int32_t* zero_points, float* y) {
  vectorized([=] {
    for (std::int64_t k = 0; k < count; ++k)
      y[k] = dequantize_linear(static_cast<std::int32_t>(x[k]), {scales[k], zero_points ? zero_points[k] : 0});
  });
}

}  // namespace octet
