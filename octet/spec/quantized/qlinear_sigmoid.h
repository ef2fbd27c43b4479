// qlinear_sigmoid.h: the meaning of com.microsoft QLinearSigmoid.
//
//   v = X_scale * f32(X - X_zero_point);  w = sigmoid(v)
//   Y = saturate(round(w / Y_scale) + Y_zero_point)         float32; the zero point after rounding (lookup_table.h)
//
// The sigmoid is ONNX Runtime's rational one, not libm's (support/ort_sigmoid.h): one table entry in about 400,000 is
// one step away.
//
//   qlinear_sigmoid_c1  X and Y are both int8 or both uint8, so are the zero points; the scales are float32.
//   qlinear_sigmoid_c2  each scale and zero point has one element.
#pragma once

#include "octet/spec/quantized/lookup_table.h"

namespace octet {

LookupTable qlinear_sigmoid(DType dtype, const Quantization& x, const Quantization& y, const Arithmetic& arithmetic);

}  // namespace octet
