#include "octet/spec/support/product.h"

#include <algorithm>
#include <vector>

#include "octet/base/vectors.h"
#include "octet/spec/support/grain.h"

namespace octet {
namespace {

// Rows that one pass computes: with two vectors of columns they fill the 16 vector registers of x86-64.
constexpr std::int64_t kRows = 6;
// Rows that one block computes of a panel: a tall product of few columns still splits over threads.
constexpr std::int64_t kRowsPerBlock = 256;
// kCount rows of `a` times one panel, of which `columns` are wanted.
template <int kCount, typename V, typename T>
void multiply_rows(const T* a, std::int64_t a_stride, std::int64_t depth, const T* panel, std::int64_t columns, T* y,
                   std::int64_t y_stride) {
  constexpr int kVectors = 2, kWidth = kVectors * V::kLanes;
  for (std::int64_t first = 0; first < columns; first += kWidth) {
    typename V::Type sums[kCount][kVectors] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      typename V::Type elements[kVectors];
      unrolled<kVectors>([&](int v) { V::load(elements[v], panel + k * kPanel<T> + first + v * V::kLanes); });
      unrolled<kCount>([&](int r) {
        const T factor = a[r * a_stride + k];
        unrolled<kVectors>([&](int v) { V::multiply_add(sums[r][v], factor, elements[v]); });
      });
    }
    unrolled<kCount>([&](int r) {
      T row[kWidth];
      unrolled<kVectors>([&](int v) { V::store(sums[r][v], row + v * V::kLanes); });
      std::copy_n(row, std::min<std::int64_t>(kWidth, columns - first), y + r * y_stride + first);
    });
  }
}

// multiply() for one panel, of which `columns` are wanted. The rows of y are `y_stride` apart.
template <typename V, typename T>
void multiply_panel(const Matrix<T>& a, const T* panel, std::int64_t columns, T* y, std::int64_t y_stride) {
  V::call([=] {
    std::int64_t r = 0;
    for (; r + kRows <= a.rows; r += kRows)
      multiply_rows<kRows, V>(a.data + r * a.row_stride, a.row_stride, a.columns, panel, columns, y + r * y_stride,
                              y_stride);
    for (; r < a.rows; ++r)
      multiply_rows<1, V>(a.data + r * a.row_stride, a.row_stride, a.columns, panel, columns, y + r * y_stride,
                          y_stride);
  });
}

}  // namespace

template <typename T>
PackedMatrix<T>::PackedMatrix(const Matrix<T>& b, const Parallel& parallel) : rows_(b.rows), columns_(b.columns) {
  elements_.resize(static_cast<std::size_t>(panels() * rows_ * kPanel<T>));
  parallel.for_each_block(panels(), kWorkPerBlock / (rows_ * kPanel<T> + 1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t first = p * kPanel<T>, count = std::min(kPanel<T>, columns_ - first);
      T* to = elements_.data() + p * rows_ * kPanel<T>;
      for (std::int64_t k = 0; k < rows_; ++k, to += kPanel<T>)
        for (std::int64_t c = 0; c < count; ++c) to[c] = b.data[k * b.row_stride + (first + c) * b.column_stride];
    }
  });
}

template <typename T>
void multiply(const Matrix<T>& a, const PackedMatrix<T>& b, T* y, const Parallel& parallel) {
  if (a.column_stride != 1) {
    std::vector<T> rows(static_cast<std::size_t>(a.rows * a.columns));
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t k = 0; k < a.columns; ++k)
        rows[static_cast<std::size_t>(r * a.columns + k)] = a.data[r * a.row_stride + k * a.column_stride];
    return multiply(Matrix<T>::row_major(rows.data(), a.rows, a.columns), b, y, parallel);
  }
  const std::int64_t strips = (a.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::int64_t work = (std::min(a.rows, kRowsPerBlock) * a.columns + 1) * kPanel<T>;
  with_widest_vector<T>([&]<typename V>() {
    parallel.for_each_block(b.panels() * strips, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        const std::int64_t panel = block / strips, column = panel * kPanel<T>, row = block % strips * kRowsPerBlock;
        const Matrix<T> strip = {a.data + row * a.row_stride, std::min(kRowsPerBlock, a.rows - row), a.columns,
                                 a.row_stride, 1};
        multiply_panel<V>(strip, b.panel(panel), std::min(kPanel<T>, b.columns() - column),
                          y + row * b.columns() + column, b.columns());
      }
    });
  });
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;
template class PackedMatrix<std::uint32_t>;
template class PackedMatrix<std::uint64_t>;
template void multiply(const Matrix<float>&, const PackedMatrix<float>&, float*, const Parallel&);
template void multiply(const Matrix<double>&, const PackedMatrix<double>&, double*, const Parallel&);
template void multiply(const Matrix<std::uint32_t>&, const PackedMatrix<std::uint32_t>&, std::uint32_t*,
                       const Parallel&);
template void multiply(const Matrix<std::uint64_t>&, const PackedMatrix<std::uint64_t>&, std::uint64_t*,
                       const Parallel&);

}  // namespace octet
