// quantize_linear.h: the meaning of QuantizeLinear.
//
//   t = x / y_scale                               a true division in float32, never a reciprocal
//   y = saturate(round(t) + y_zero_point)         ties to even, or by arithmetic.rounding; the zero point after
//   rounding
//
// Equation (2) of docs/quantization/derivation.md.
//
// What lies outside [qmin - z, qmax - z] goes to its nearer end before rounding, so infinities saturate; NaN gives
// qmin. Zero and negative scales follow the division. ONNX Runtime does the same in its vectorized loop; the loops it
// has for float16, for blocks and for the ends of int4 tensors convert to int32 first, and a t that int32 can't hold
// (or NaN) may then come out at the wrong end, depending on where the element lies.
//
// float16 and bfloat16 are widened first, as in ONNX Runtime (the standard speaks of the scale's type). With
// `precision`, which ONNX Runtime ignores, x and scale are rounded to that type, divided, and the quotient rounded to
// it. int32 x, which ONNX Runtime does not take, is divided in float64, as the onnx package does.
//
// To float8 and float4 (base/minifloat.h):
//
//   y = the nearest number to t + y_zero_point    ties to even; a zero point of 0 is not added, so that -0 stays
//
// What lies beyond the largest number, and infinity, becomes that number; with saturate = 0, infinity in e5m2 and NaN in the
// other float8 types. arithmetic.rounding does not concern them. float8e8m0 scales are powers of two.
//
// Scale and zero point are per tensor, per axis or blocked (parameter_map.h): 32 elements of float8 or float4 with a scale of
// float8e8m0 are the MX formats of OCP.
//
// com.microsoft has the operator too, for opsets whose standard lacks 16-bit types or the axis; the meaning is the
// same.
//
//   quantize_linear_c1  x is float32, float16, bfloat16 or int32.
//   quantize_linear_c2  y_scale is float32, float16, bfloat16, int32 or float8e8m0.
//   quantize_linear_c3  y is an integer of 2, 4, 8 or 16 bits, a float8 or float4e2m1; y_zero_point has y's type, which
//                       is what output_dtype says where both are given.
//   quantize_linear_c4  y_scale and y_zero_point are per tensor, per axis or blocked.
//   quantize_linear_c5  precision is absent, float32, float64, float16 or bfloat16.
#pragma once

#include "octet/spec/quantized/parameters.h"

namespace octet {

// Whether `precision` leaves x / y_scale in float32, the default. DequantizeLinear has no such attribute.
inline bool divides_in_float32(const Attributes& attributes) {
  const std::int64_t precision = attributes.get_int("precision", 0);
  return precision == 0 || precision == static_cast<std::int64_t>(DType::kFloat);
}

// One element.
inline std::int32_t quantize_linear(float x, const Quantization& y, IntegerRange range,
                                    Rounding rounding = Rounding::kTiesEven) {
  return quantize_real(x / y.scale, {y.zero_point, range, ZeroPoint::kAfterRounding}, rounding);
}

}  // namespace octet
