// qlinear_matmul.h: the meaning of QLinearMatMul.
//
//   acc[.., i, o] = Sum_k (a[.., i, k] - a_zero_point[.., i]) * (b[.., k, o] - b_zero_point[.., o])
//   M[i, o] = (a_scale[i] * b_scale[o]) / y_scale           left to right, each operation rounded to float32
//   y = saturate(round(f32(acc) * M) + y_zero_point)        the zero point after rounding (requantize.h)
//
// Equations (8), (13) and (14) of docs/quantization/derivation.md.
//
// The accumulator is an int32 that wraps, k ascending (integer_matmul.h); f32(acc) loses bits only above 2^24. Scales
// in float16 and bfloat16 are widened first. ONNX Runtime takes the pairs u8 u8, u8 s8 and s8 s8 with y of a's type,
// and one scale and zero point for a; the others of the standard follow the same formula.
//
//   qlinear_matmul_c1  a, b and y are int8 or uint8 (float8 is not computed); each zero point has its tensor's type.
//   qlinear_matmul_c2  the scales are float32, float16 or bfloat16.
//   qlinear_matmul_c3  a is [batch..., M, K], b is [batch..., K, N]; the batches broadcast.
//   qlinear_matmul_c4  a's scale and zero point have one element or one for each row of a, b's for each column of b.
//   qlinear_matmul_c5  y_scale and y_zero_point have one element.
#pragma once

#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

struct QuantizedLines {
  LineParameter<float> scales;
  LineParameter<std::int32_t> zero_points;
};

// y is int8 or uint8, of the shape that the rule gives.
void qlinear_matmul(const Tensor& a, const QuantizedLines& a_lines, const Tensor& b, const QuantizedLines& b_lines,
                    const Quantization& y_quantization, Tensor& y, const Arithmetic& arithmetic,
                    const Parallel& parallel);

}  // namespace octet
