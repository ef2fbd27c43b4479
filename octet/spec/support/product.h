// product.h: the matrix product under Conv, MatMul, Gemm and the recurrent networks.
//
//   y[m, n] = Sum_k a[m, k] * b[k, n]
//
// Each sum runs over k in order, in T, starting at 0: no blocking or thread count changes a result. b is packed into
// panels of kPanel columns, [k][column], so that the columns of one panel are summed side by side in vector registers.
// Integers come as unsigned types, whose arithmetic wraps.
#pragma once

#include <cstdint>

#include "octet/base/parallel.h"

namespace octet {

template <typename T>
inline constexpr std::int64_t kPanel = 32 / sizeof(T);

template <typename T>
struct Matrix {
  const T* data;
  std::int64_t rows, columns, row_stride, column_stride;
};

// y is row-major, [a.rows, b.columns]. T is float, double, uint32_t or uint64_t.
template <typename T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, T* y, const Parallel& parallel);

// The same for one packed panel, of which `columns` are wanted. The elements of a row of `a` must be adjacent
// (column_stride 1); the rows of y are `y_stride` apart.
template <typename T>
void multiply_panel(const Matrix<T>& a, const T* panel, std::int64_t columns, T* y, std::int64_t y_stride);

}  // namespace octet
