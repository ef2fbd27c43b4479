// qlinear_average_pool.h: the meaning of com.microsoft QLinearAveragePool.
//
// A window that is the whole image without padding: as QLinearGlobalAveragePool. Otherwise, in float32:
//
//   v = x_scale * f32(X - x_zero_point) of each pixel of the window inside the image, summed in row-major order
//   a = sum / f32(count)                               count: those pixels, or the whole kernel with count_include_pad
//   Y = saturate(round(a / y_scale + y_zero_point))    two roundings to float32, the zero point before rounding
//
// ONNX Runtime converts without saturating: 2^31 and above become qmin. With another product than float32, a narrow
// accumulator, stored multipliers or stochastic rounding the pool is an integer one: the pixels less their zero point
// are summed in the accumulator and requantized by x_scale / (y_scale * f32(count)).
//
// X is [N, C, spatial...], or [N, spatial..., C] with channels_last, which does not change a bit. With SAME_UPPER or
// SAME_LOWER and strides wider than the kernel the padding is negative: windows start inside the image.
//
//   qlinear_average_pool_c1  X and Y are both int8 or both uint8, so are the zero points; the scales are float32.
//   qlinear_average_pool_c2  each scale and zero point has one element.
//   qlinear_average_pool_c3  X has 3 dimensions or more.
//   qlinear_average_pool_c4  kernel_shape is given, the other attributes fit it, and no padding is as wide as the
//                            kernel.
#pragma once

#include "octet/spec/quantized/parameters.h"
#include "octet/spec/window.h"

namespace octet {

struct QLinearAveragePoolParameters {
  Window window;  // its output is known
  bool count_include_pad = false, channels_last = false;
  Quantization x, y;
};

// The window on an image with these spatial dimensions. Throws kConstraint (c4).
Window average_pool_window(const Attributes& attributes, const SymbolicShape& image);

// Whether it is an image without padding: then its sum is an integer one.
bool is_whole_image(const Window& window, const Shape& image);

inline bool averages_in_float(const Arithmetic& arithmetic) {
  return arithmetic.product == Product::kFloat32 && arithmetic.accumulator_bits == 32 &&
         arithmetic.multiplier_form == MultiplierForm::kFloat32 && !arithmetic.stochastic;
}

// y has x's type and the shape that the rule gives.
void qlinear_average_pool(const QLinearAveragePoolParameters& parameters, const Tensor& x, Tensor& y,
                          const Arithmetic& arithmetic, const Parallel& parallel);

}  // namespace octet
