// product.h: the matrix product under MatMul, Gemm and the recurrent networks.
//
//   y[m, n] = Sum_k a[m, k] * b[k, n]
//
// Each sum runs over k in order, in T, starting at 0; a product of floats and its addition round once, together. No
// blocking or thread count changes a result. b is packed into panels of kPanel columns, [k][column], so that the columns
// of one panel are summed side by side in vector registers. Integers come as unsigned types, whose arithmetic wraps. T is
// float, double, uint32_t or uint64_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "octet/base/parallel.h"

namespace octet {

template <typename T>
inline constexpr std::int64_t kPanel = 64 / sizeof(T);

template <typename T>
struct Matrix {
  const T* data;
  std::int64_t rows, columns, row_stride, column_stride;

  // Rows, or columns, of adjacent elements, one after the other.
  static Matrix row_major(const T* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns, 1};
  }
  static Matrix column_major(const T* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, 1, rows};
  }
};

// b, packed once for many products.
template <typename T>
class PackedMatrix {
 public:
  PackedMatrix(const Matrix<T>& b, const Parallel& parallel);

  std::int64_t columns() const { return columns_; }
  std::int64_t panels() const { return (columns_ + kPanel<T> - 1) / kPanel<T>; }
  const T* panel(std::int64_t index) const { return elements() + index * rows_ * kPanel<T>; }

 private:
  T* elements() const { return reinterpret_cast<T*>(elements_.get()); }

  std::int64_t rows_, columns_;
  std::shared_ptr<std::byte> elements_;  // columns beyond the last are 0
};

// y is row-major, [a.rows, b.columns].
template <typename T>
void multiply(const Matrix<T>& a, const PackedMatrix<T>& b, T* y, const Parallel& parallel);

}  // namespace octet
