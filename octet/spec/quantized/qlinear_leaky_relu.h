// qlinear_leaky_relu.h: the meaning of com.microsoft QLinearLeakyRelu.
//
//   v = X_scale * f32(X - X_zero_point);  w = v >= 0 ? v : alpha * v
//   Y = saturate(round(w / Y_scale) + Y_zero_point)         float32; the zero point after rounding (lookup_table.h)
//
//   qlinear_leaky_relu_c1  X and Y are both int8 or both uint8, so are the zero points; the scales are float32.
//   qlinear_leaky_relu_c2  each scale and zero point has one element.
#pragma once

#include "octet/spec/quantized/lookup_table.h"

namespace octet {

LookupTable qlinear_leaky_relu(DType dtype, const Quantization& x, const Quantization& y, float alpha,
                               const Arithmetic& arithmetic);

}  // namespace octet
