// transposes.cc: rows become columns.
#include <algorithm>
#include <type_traits>

#include "octet/engine/fast/simd/elements.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/transposes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using std::int64_t;

#if HWY_TARGET != HWY_SCALAR
// kSize rows and columns: interleaves the first half of the rows with the second, log2(kSize) times.
template <int kSize, typename T>
HWY_INLINE void transpose_tile(const T* x, int64_t x_step, T* y, int64_t y_step) {
  const hn::CappedTag<T, kSize> d;
  hn::Vec<decltype(d)> rows[kSize], next[kSize];
  for (int r = 0; r < kSize; ++r) rows[r] = hn::LoadU(d, x + r * x_step);
  for (int round = 1; round < kSize; round *= 2) {
    for (int r = 0; r < kSize / 2; ++r) {
      next[2 * r] = hn::InterleaveLower(d, rows[r], rows[r + kSize / 2]);
      next[2 * r + 1] = hn::InterleaveUpper(d, rows[r], rows[r + kSize / 2]);
    }
    for (int r = 0; r < kSize; ++r) rows[r] = next[r];
  }
  for (int r = 0; r < kSize; ++r) hn::StoreU(rows[r], d, y + r * y_step);
}

// Three rows become pixels of three channels, or the other way round; returns how many of them, from the first.
template <typename T>
HWY_INLINE int64_t interleave3(const T* x, int64_t x_step, int64_t count, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes)
    hn::StoreInterleaved3(hn::LoadU(d, x + k), hn::LoadU(d, x + x_step + k), hn::LoadU(d, x + 2 * x_step + k), d,
                          y + 3 * k);
  return k;
}
template <typename T>
HWY_INLINE int64_t separate3(const T* x, int64_t count, T* y, int64_t y_step) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    hn::Vec<decltype(d)> v0, v1, v2;
    hn::LoadInterleaved3(d, x + 3 * k, v0, v1, v2);
    hn::StoreU(v0, d, y + k);
    hn::StoreU(v1, d, y + y_step + k);
    hn::StoreU(v2, d, y + 2 * y_step + k);
  }
  return k;
}
#endif

// By tiles of kTile, then smaller ones at the edges.
template <int kTile, typename T>
HWY_INLINE void transpose_tiles(const T* x, int64_t x_step, int64_t rows, int64_t columns, T* y, int64_t y_step) {
  if constexpr (kTile == 1) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r) y[c * y_step + r] = x[r * x_step + c];
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    const int64_t whole_rows = rows / kTile * kTile, whole_columns = columns / kTile * kTile;
    for (int64_t c = 0; c < whole_columns; c += kTile)
      for (int64_t r = 0; r < whole_rows; r += kTile)
        transpose_tile<kTile>(x + r * x_step + c, x_step, y + c * y_step + r, y_step);
    constexpr int kNext = kTile == 16 ? 4 : 1;
    if (whole_columns < columns)
      transpose_tiles<kNext>(x + whole_columns, x_step, whole_rows, columns - whole_columns, y + whole_columns * y_step,
                             y_step);
    if (whole_rows < rows)
      transpose_tiles<kNext>(x + whole_rows * x_step, x_step, rows - whole_rows, columns, y + whole_rows, y_step);
  }
#endif
}

template <typename T>
HWY_INLINE void transpose(const T* x, int64_t x_step, int64_t rows, int64_t columns, T* y, int64_t y_step) {
#if HWY_TARGET == HWY_SCALAR
  transpose_tiles<1>(x, x_step, rows, columns, y, y_step);
#else
  int64_t done = 0;  // columns, or rows
  if (rows == 3 && y_step == 3) {
    done = interleave3(x, x_step, columns, y);
    x += done, y += 3 * done, columns -= done;
  } else if (columns == 3 && x_step == 3) {
    done = separate3(x, rows, y, y_step);
    x += 3 * done, y += done, rows -= done;
  }
  transpose_tiles<16 / sizeof(T)>(x, x_step, rows, columns, y, y_step);
#endif
}

void transpose8(const std::uint8_t* x, int64_t x_step, int64_t rows, int64_t columns, std::uint8_t* y, int64_t y_step) {
  transpose(x, x_step, rows, columns, y, y_step);
}
void transpose32(const std::uint32_t* x, int64_t x_step, int64_t rows, int64_t columns, std::uint32_t* y,
                 int64_t y_step) {
  transpose(x, x_step, rows, columns, y, y_step);
}

void add_transposes(Elements& found) {
  found.transpose8 = transpose8;
  found.transpose32 = transpose32;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
