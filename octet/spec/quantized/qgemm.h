// qgemm.h: the meaning of com.microsoft QGemm.
//
//   acc[i, o] = C[i, o] + Sum_k (A'[i, k] - a_zero_point) * (B'[k, o] - b_zero_point[o])
//   S[o] = (alpha * a_scale) * b_scale[o], then divided by y_scale where it is given, each step rounded to float32
//   y = saturate(round(f32(acc) * S[o]) + y_zero_point)     with y_zero_point; the zero point after rounding
//   y = f32(acc) * S[o]                                     without it: float32
//
// Equations (8), (22) and (14) of docs/quantization/derivation.md.
//
// A' and B' are A and B, transposed where transA and transB say so. C is in the accumulator's own units, so alpha
// scales it as well. The accumulator starts from C and wraps (integer_matmul.h).
//
//   qgemm_c1  A and B are int8 or uint8, each zero point has its matrix' type; y_zero_point is int8 or uint8; C is
//             int32.
//   qgemm_c2  the scales are float32.
//   qgemm_c3  A' is [M, K], B' is [K, N].
//   qgemm_c4  a_scale, a_zero_point, y_scale and y_zero_point have one element; b_scale and b_zero_point one or N.
//   qgemm_c5  C broadcasts to [M, N].
#pragma once

#include <optional>

#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

struct QGemmParameters {
  bool transpose_a = false, transpose_b = false;
  float alpha = 1;
  Quantization a;
  std::vector<float> b_scales;              // one, or N
  std::vector<std::int32_t> b_zero_points;  // one, or N
  std::optional<float> y_scale;
  std::optional<std::int32_t> y_zero_point;  // y is float32 without it
};

float qgemm_multiplier(const QGemmParameters& parameters, float b_scale);

// `c` may be empty. y is [M, N], of the type that the parameters say.
void qgemm(const QGemmParameters& parameters, const Tensor& a, const Tensor& b, const Tensor& c, Tensor& y,
           const Arithmetic& arithmetic, const Parallel& parallel);

}  // namespace octet
