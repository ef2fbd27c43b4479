// dequantize_linear.h: the meaning of DequantizeLinear.
//
//   y = f32(x - x_zero_point) * x_scale                equation (3) of docs/quantization/derivation.md
//
// The difference is an int32 that wraps; it is exact in float32 up to 24 bits, which only int32 x exceeds. Its zero
// point is subtracted too, where the standard wants it to be 0. float16 and bfloat16 scales are widened; the float32
// product is then rounded to y's type once.
//
// float8 and float4 (base/minifloat.h) are numbers of float32: y = (x - x_zero_point) * x_scale, each operation rounded to
// float32. float8e8m0 scales are powers of two, and output_dtype then says y's type.
//
// Scale and zero point are per tensor, per axis or blocked (parameter_map.h).
//
// com.microsoft has the operator too, for opsets whose standard lacks 16-bit types or the axis; the meaning is the
// same.
//
//   dequantize_linear_c1  x is an integer of 2, 4, 8, 16 or 32 bits (not uint32), a float8 or float4e2m1.
//   dequantize_linear_c2  x_scale is float32, float16, bfloat16 or float8e8m0.
//   dequantize_linear_c3  x_zero_point has x's type.
//   dequantize_linear_c4  x_scale and x_zero_point are per tensor, per axis or blocked.
//   dequantize_linear_c5  y, by output_dtype or else x_scale's type, is float32, float16 or bfloat16.
#pragma once

#include "octet/spec/quantized/parameters.h"

namespace octet {

// One element.
inline float dequantize_linear(std::int32_t x, const Quantization& quantization) {
  const auto difference =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(quantization.zero_point));
  return static_cast<float>(difference) * quantization.scale;
}

}  // namespace octet
