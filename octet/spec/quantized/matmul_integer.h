// matmul_integer.h: the meaning of MatMulInteger.
//
//   y[.., i, o] = Sum_k (a[.., i, k] - a_zero_point[.., i]) * (b[.., k, o] - b_zero_point[.., o])
//
// int32 that wraps, or the arithmetic's accumulator; k ascending (integer_matmul.h). Batches broadcast, vectors are one
// row or one column.
//
//   matmul_integer_c1  a is int8 or uint8, b is int8 or uint8, each zero point has its operand's type.
//   matmul_integer_c2  a is [batch..., M, K], b is [batch..., K, N]; the batches broadcast.
//   matmul_integer_c3  a_zero_point has one element or one for each row of a; b_zero_point for each column of b.
#pragma once

#include "octet/spec/quantized/integer_matmul.h"

namespace octet {

// y is int32, of the shape that the rule gives.
void matmul_integer(const Tensor& a, const LineParameter<std::int32_t>& a_zero_points, const Tensor& b,
                    const LineParameter<std::int32_t>& b_zero_points, Tensor& y, const Arithmetic& arithmetic,
                    const Parallel& parallel);

}  // namespace octet
