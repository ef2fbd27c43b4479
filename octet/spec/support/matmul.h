// matmul.h: the products under MatMul and FusedMatMul.
//
//   y[..., m, n] = Sum_k a[..., m, k] * b[..., k, n]        as product.h says, with the shapes of matmul_shape.h
#pragma once

#include "octet/base/tensor.h"
#include "octet/spec/matmul_shape.h"
#include "octet/spec/support/product.h"

namespace octet {

// T is the type the sums are made in, as wide as the elements: unsigned for integers.
template <typename T>
void matmul_as(const Tensor& left, const Tensor& right, Tensor& result, const Parallel& parallel) {
  const auto* a = reinterpret_cast<const T*>(left.bytes().data());
  const auto* b = reinterpret_cast<const T*>(right.bytes().data());
  auto* y = reinterpret_cast<T*>(result.mutable_bytes().data());
  const MatMulLayout layout(left.shape(), right.shape());
  const std::int64_t m = layout.m, k = layout.k, n = layout.n;
  const auto product = [&](const T* rows, std::int64_t count, const T* columns, T* to) {
    const PackedMatrix<T> packed(Matrix<T>::row_major(columns, k, n), parallel);
    multiply(Matrix<T>::row_major(rows, count, k), packed, to, parallel);
  };
  if (right.size() == k * n) return product(a, layout.batches * m, b, y);  // one b for all: a tall product
  parallel.for_each_block(layout.batches, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t batch = begin; batch < end; ++batch) {
      const MatMulLayout::Operands at = layout.operands(batch);
      product(a + at.a * m * k, m, b + at.b * k * n, y + batch * m * n);
    }
  });
}

}  // namespace octet
