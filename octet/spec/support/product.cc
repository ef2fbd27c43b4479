#include "octet/spec/support/product.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace octet {
namespace {

// Rows that one pass computes: with one panel they fill the 16 vector registers of x86-64.
constexpr int kRows = 4;
// Rows for which a panel is packed once: packing then costs little and tall products still split over threads.
constexpr std::int64_t kRowsPerBlock = 256;
// Multiply-adds that are worth a thread.
constexpr std::int64_t kWorkPerBlock = 1 << 16;

// Spelled with 16-byte vectors, which g++ and clang map to the baseline of any 64-bit machine: g++ 12 keeps an array of
// sums in memory instead of registers, at a quarter of the speed.
template <int kCount, typename T>
void multiply_rows(const T* a, std::int64_t a_stride, std::int64_t depth, const T* panel, std::int64_t columns, T* y,
                   std::int64_t y_stride) {
  using Vector [[gnu::vector_size(16)]] = T;
  constexpr std::int64_t kLanes = kPanel<T> / 2;
  Vector sums[kCount][2] = {};
  for (std::int64_t k = 0; k < depth; ++k, panel += kPanel<T>) {
    Vector low, high;
    std::memcpy(&low, panel, sizeof(low));
    std::memcpy(&high, panel + kLanes, sizeof(high));
    for (int r = 0; r < kCount; ++r) {
      const T x = a[r * a_stride + k];
      sums[r][0] += x * low;
      sums[r][1] += x * high;
    }
  }
  for (int r = 0; r < kCount; ++r)
    std::memcpy(y + r * y_stride, sums[r], static_cast<std::size_t>(columns) * sizeof(T));
}

// Columns beyond `columns` read as 0.
template <typename T>
void pack_panel(const Matrix<T>& b, std::int64_t first, std::int64_t columns, T* panel) {
  for (std::int64_t k = 0; k < b.rows; ++k, panel += kPanel<T>) {
    const T* row = b.data + k * b.row_stride + first * b.column_stride;
    for (std::int64_t c = 0; c < columns; ++c) panel[c] = row[c * b.column_stride];
    std::fill(panel + columns, panel + kPanel<T>, T(0));
  }
}

}  // namespace

template <typename T>
void multiply_panel(const Matrix<T>& a, const T* panel, std::int64_t columns, T* y, std::int64_t y_stride) {
  std::int64_t r = 0;
  for (; r + kRows <= a.rows; r += kRows)
    multiply_rows<kRows>(a.data + r * a.row_stride, a.row_stride, a.columns, panel, columns, y + r * y_stride,
                         y_stride);
  for (; r < a.rows; ++r)
    multiply_rows<1>(a.data + r * a.row_stride, a.row_stride, a.columns, panel, columns, y + r * y_stride, y_stride);
}

template <typename T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, T* y, const Parallel& parallel) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.column_stride != 1) {
    std::vector<T> rows(static_cast<std::size_t>(a.rows * a.columns));
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t k = 0; k < a.columns; ++k)
        rows[static_cast<std::size_t>(r * a.columns + k)] = a.data[r * a.row_stride + k * a.column_stride];
    return multiply({rows.data(), a.rows, a.columns, a.columns, 1}, b, y, parallel);
  }
  const std::int64_t panels = (b.columns + kPanel<T> - 1) / kPanel<T>;
  const std::int64_t strips = (a.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::int64_t work = std::min(a.rows, kRowsPerBlock) * std::max<std::int64_t>(a.columns, 1) * kPanel<T>;
  parallel.for_each_block(panels * strips, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> panel(static_cast<std::size_t>(b.rows * kPanel<T>));
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block / strips * kPanel<T>, row = block % strips * kRowsPerBlock;
      const std::int64_t columns = std::min(kPanel<T>, b.columns - column);
      if (block == begin || row == 0) pack_panel(b, column, columns, panel.data());
      const std::int64_t rows = std::min(kRowsPerBlock, a.rows - row);
      multiply_panel<T>({a.data + row * a.row_stride, rows, a.columns, a.row_stride, 1}, panel.data(), columns,
                        y + row * b.columns + column, b.columns);
    }
  });
}

template void multiply(const Matrix<float>&, const Matrix<float>&, float*, const Parallel&);
template void multiply(const Matrix<double>&, const Matrix<double>&, double*, const Parallel&);
template void multiply(const Matrix<std::uint32_t>&, const Matrix<std::uint32_t>&, std::uint32_t*, const Parallel&);
template void multiply(const Matrix<std::uint64_t>&, const Matrix<std::uint64_t>&, std::uint64_t*, const Parallel&);
template void multiply_panel(const Matrix<float>&, const float*, std::int64_t, float*, std::int64_t);
template void multiply_panel(const Matrix<double>&, const double*, std::int64_t, double*, std::int64_t);

}  // namespace octet
