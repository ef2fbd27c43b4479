// matmul_integer_to_float.h: the meaning of com.microsoft MatMulIntegerToFloat.
//
//   acc[.., i, o] = Sum_k (A[.., i, k] - a_zero_point) * (B[.., k, o] - b_zero_point[.., o])
//   S[o] = a_scale * b_scale[.., o]
//   y = f32(acc) * S[o] + bias[o]               three float32 operations, each rounded: the sum is not fused
//
// The accumulator is an int32 that wraps (integer_matmul.h); f32(acc) loses bits only above 2^24.
//
//   matmul_integer_to_float_c1  A and B are int8 or uint8, each zero point has its operand's type; scales and bias are
//                               float32 (float16 is widened, and y rounded to it).
//   matmul_integer_to_float_c2  A is [batch..., M, K], B is [batch..., K, N]; the batches broadcast.
//   matmul_integer_to_float_c3  a_scale and a_zero_point have one element; b_scale and b_zero_point one or one for each
//                               column of B.
//   matmul_integer_to_float_c4  bias has N elements, along its last dimension.
#pragma once

#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/quantized/qlinear_matmul.h"

namespace octet {

// `bias` is empty or has N elements. y is float32, of the shape that the rule gives.
void matmul_integer_to_float(const Tensor& a, const Quantization& a_quantization, const Tensor& b,
                             const QuantizedLines& b_lines, std::span<const float> bias, Tensor& y,
                             const Arithmetic& arithmetic, const Parallel& parallel);

// bias is a vector of N elements, or that with dimensions of 1 in front. An absent one passes.
void require_bias(const Inference& i, std::size_t bias, const std::optional<SymbolicShape>& b, std::string_view label);

}  // namespace octet
