// qlinear_global_average_pool.h: the meaning of com.microsoft QLinearGlobalAveragePool.
//
//   acc[n, c] = Sum over the image of (X - x_zero_point)                    int32 that wraps, row-major
//   M = x_scale / (y_scale * f32(pixels))
//   Y[n, c] = saturate(round(f32(acc) * M) + y_zero_point)     the zero point after rounding (requantize.h)
//
// Equation (21) of docs/quantization/derivation.md.
//
// X is [N, C, spatial...], or [N, spatial..., C] with channels_last; Y has 1 for each spatial dimension. ONNX Runtime
// refuses an M outside [2^-32, 2^8); the formula holds there all the same.
//
//   qlinear_global_average_pool_c1  X and Y are both int8 or both uint8, so are the zero points; the scales are
//                                   float32.
//   qlinear_global_average_pool_c2  each scale and zero point has one element.
//   qlinear_global_average_pool_c3  X has 3 dimensions or more.
#pragma once

#include "octet/spec/quantized/parameters.h"

namespace octet {

inline float average_multiplier(float x_scale, float y_scale, std::int64_t pixels) {
  return x_scale / (y_scale * static_cast<float>(pixels));
}

// y has x's type.
void qlinear_global_average_pool(const Tensor& x, const Quantization& x_quantization,
                                 const Quantization& y_quantization, bool channels_last, Tensor& y,
                                 const Arithmetic& arithmetic, const Parallel& parallel);

}  // namespace octet
