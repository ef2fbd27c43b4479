// qlinear_mul.h: the meaning of com.microsoft QLinearMul.
//
//   M = (A_scale * B_scale) / C_scale
//   p = (A - A_zero_point) * (B - B_zero_point)             exact: |p| <= 65025
//   C = saturate(round(f32(p) * M + C_zero_point))          two roundings to float32, the zero point before rounding
//
// with numpy's broadcasting. ONNX Runtime converts without saturating: 2^31 and above become qmin. Other products than
// float32 and other places of the zero point: requantize.h.
//
//   qlinear_mul_c1  A, B and C are all int8 or all uint8, so are the zero points; the scales are float32.
//   qlinear_mul_c2  each scale and zero point has one element.
//   qlinear_mul_c3  A and B broadcast.
#pragma once

#include "octet/spec/quantized/quantized_binary.h"

namespace octet {

// The product of one pair.
QuantizedBinary qlinear_mul(const Quantization& a, const Quantization& b, const Quantization& c, IntegerRange range,
                            const Arithmetic& arithmetic);

}  // namespace octet
