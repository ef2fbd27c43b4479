#include "octet/spec/support/product.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "octet/base/memory.h"
#include "octet/base/vectors.h"
#include "octet/spec/support/grain.h"

namespace octet {
namespace {

// Rows that one pass computes: with two vectors of columns they fill the 16 vector registers of x86-64. Fewer where that
// leaves no single row at the end, which would wait for every addition.
constexpr std::int64_t kRows = 6, kFewerRows = 4;
// Panels that one block computes of few rows: so many sums are under way at once.
constexpr std::int64_t kPanelsOfFewRows = 4;
// Rows that one block computes of a panel: a tall product of few columns still splits over threads.
constexpr std::int64_t kRowsPerBlock = 256;

template <typename T>
struct Panels {
  const T* first;
  std::int64_t step, columns;  // from panel to panel, and how many columns are wanted of all that are left

  Panels from(std::int64_t panel) const { return {first + panel * step, step, columns - panel * kPanel<T>}; }
};

// kCount rows of `a` times kPanels panels.
template <int kCount, int kPanels, typename V, typename T>
void multiply_rows(const T* a, std::int64_t a_stride, std::int64_t depth, const Panels<T>& panels, T* y,
                   std::int64_t y_stride) {
  constexpr int kVectors = 2, kWidth = kVectors * V::kLanes;
  for (std::int64_t first = 0; first < std::min(kPanel<T>, panels.columns); first += kWidth) {
    typename V::Type sums[kCount][kPanels * kVectors] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      typename V::Type elements[kPanels * kVectors];
      unrolled<kPanels * kVectors>([&](int v) {
        V::load(elements[v],
                panels.first + v / kVectors * panels.step + k * kPanel<T> + first + v % kVectors * V::kLanes);
      });
      unrolled<kCount>([&](int r) {
        const T factor = a[r * a_stride + k];
        unrolled<kPanels * kVectors>([&](int v) { V::multiply_add(sums[r][v], factor, elements[v]); });
      });
    }
    unrolled<kCount>([&](int r) {
      unrolled<kPanels>([&](int p) {
        T row[kWidth];
        unrolled<kVectors>([&](int v) { V::store(sums[r][p * kVectors + v], row + v * V::kLanes); });
        const std::int64_t column = p * kPanel<T> + first;
        std::copy_n(row, std::min<std::int64_t>(kWidth, panels.columns - column), y + r * y_stride + column);
      });
    });
  }
}

// Few rows times `count` panels.
template <typename V, typename T>
void multiply_few_rows(const T* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                       const Panels<T>& panels, std::int64_t count, T* y, std::int64_t y_stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t panel = 0;
    for (; panel + kPanelsOfFewRows <= count; panel += kPanelsOfFewRows)
      multiply_rows<1, kPanelsOfFewRows, V>(a + r * a_stride, a_stride, depth, panels.from(panel),
                                            y + r * y_stride + panel * kPanel<T>, y_stride);
    for (; panel < count; ++panel)
      multiply_rows<1, 1, V>(a + r * a_stride, a_stride, depth, panels.from(panel),
                             y + r * y_stride + panel * kPanel<T>, y_stride);
  }
}

// multiply() for `count` panels. The rows of y are `y_stride` apart.
template <typename V, typename T>
void multiply_panels(const Matrix<T>& a, const Panels<T>& panels, std::int64_t count, T* y, std::int64_t y_stride) {
  V::call([=] {
    std::int64_t r = 0;
    const auto rows = [&]<int kCount>(std::integral_constant<int, kCount>) {
      for (std::int64_t panel = 0; panel < count; ++panel)
        multiply_rows<kCount, 1, V>(a.data + r * a.row_stride, a.row_stride, a.columns, panels.from(panel),
                                    y + r * y_stride + panel * kPanel<T>, y_stride);
      r += kCount;
    };
    for (std::int64_t left = a.rows; left >= kFewerRows; left = a.rows - r) {
      if (left < kRows || left == 2 * kFewerRows || left == 2 * kFewerRows + 1)
        rows(std::integral_constant<int, kFewerRows>());
      else
        rows(std::integral_constant<int, kRows>());
    }
    multiply_few_rows<V>(a.data + r * a.row_stride, a.row_stride, a.rows - r, a.columns, panels, count,
                         y + r * y_stride, y_stride);
  });
}

// Four columns, of elements side by side, become rows of a panel.
template <typename T>
void transpose_four(const T* from, std::int64_t column_stride, T* to) {
  using Four [[gnu::vector_size(4 * sizeof(T))]] = T;
  Four a, b, c, d;
  std::memcpy(&a, from, sizeof(a));
  std::memcpy(&b, from + column_stride, sizeof(b));
  std::memcpy(&c, from + 2 * column_stride, sizeof(c));
  std::memcpy(&d, from + 3 * column_stride, sizeof(d));
  const Four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7),
             low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four rows[4] = {
      __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5), __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
      __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5), __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7)};
  for (std::int64_t row = 0; row < 4; ++row) std::memcpy(to + row * kPanel<T>, &rows[row], sizeof(Four));
}

// A panel of `columns` columns from the first of b on: [row][column].
template <typename T>
void pack_panel(const Matrix<T>& b, const T* first, std::int64_t columns, T* to) {
  if (columns < kPanel<T>) std::fill_n(to, b.rows * kPanel<T>, T(0));
  if (b.column_stride == 1) {
    for (std::int64_t k = 0; k < b.rows; ++k) std::copy_n(first + k * b.row_stride, columns, to + k * kPanel<T>);
    return;
  }
  std::int64_t fours = 0;
  if constexpr (sizeof(T) == 4)
    if (b.row_stride == 1 && columns == kPanel<T>)
      for (; fours + 4 <= b.rows; fours += 4)
        for (std::int64_t c = 0; c < columns; c += 4)
          transpose_four(first + fours + c * b.column_stride, b.column_stride, to + fours * kPanel<T> + c);
  for (std::int64_t k = fours; k < b.rows; ++k)
    for (std::int64_t c = 0; c < columns; ++c) to[k * kPanel<T> + c] = first[k * b.row_stride + c * b.column_stride];
}

}  // namespace

template <typename T>
PackedMatrix<T>::PackedMatrix(const Matrix<T>& b, const Parallel& parallel)
    : rows_(b.rows),
      columns_(b.columns),
      elements_(allocate_bytes(static_cast<std::size_t>(panels() * rows_ * kPanel<T>) * sizeof(T))) {
  parallel.for_each_block(panels(), kWorkPerBlock / (rows_ * kPanel<T> + 1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      pack_panel(b, b.data + p * kPanel<T> * b.column_stride, std::min(kPanel<T>, columns_ - p * kPanel<T>),
                 elements() + p * rows_ * kPanel<T>);
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
  const std::int64_t at_once = a.rows < kFewerRows ? kPanelsOfFewRows : 1, width = at_once * kPanel<T>;
  const std::int64_t work = (std::min(a.rows, kRowsPerBlock) * a.columns + 1) * width;
  with_widest_vector<T>([&]<typename V>() {
    parallel.for_each_block(
        (b.panels() + at_once - 1) / at_once * strips, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t panel = block / strips * at_once, row = block % strips * kRowsPerBlock;
            const Matrix<T> strip = {a.data + row * a.row_stride, std::min(kRowsPerBlock, a.rows - row), a.columns,
                                     a.row_stride, 1};
            const Panels<T> panels = {b.panel(panel), a.columns * kPanel<T>, b.columns() - panel * kPanel<T>};
            multiply_panels<V>(strip, panels, std::min(at_once, b.panels() - panel),
                               y + row * b.columns() + panel * kPanel<T>, b.columns());
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
