// dynamic_quantize_matmul.h: the meaning of com.microsoft DynamicQuantizeMatMul.
//
//   a, a_scale, a_zero_point = DynamicQuantizeLinear(A)                                  over the whole of A
//   y = MatMulIntegerToFloat(a, B, a_scale, b_scale, a_zero_point, b_zero_point, bias)
//
//   dynamic_quantize_matmul_c1  A, b_scale and bias are float32; B is int8 or uint8, b_zero_point has its type.
//   dynamic_quantize_matmul_c2  A is [batch..., M, K], B is [batch..., K, N]; the batches broadcast.
//   dynamic_quantize_matmul_c3  b_scale and b_zero_point have one element or one for each column of B.
//   dynamic_quantize_matmul_c4  bias has N elements, along its last dimension.
#pragma once

#include "octet/spec/quantized/matmul_integer_to_float.h"

namespace octet {

// `bias` is empty or has N elements. y is float32, of the shape that the rule gives.
void dynamic_quantize_matmul(const Tensor& a, const Tensor& b, const QuantizedLines& b_lines,
                             std::span<const float> bias, Tensor& y, const Arithmetic& arithmetic,
                             const Parallel& parallel);

}  // namespace octet
