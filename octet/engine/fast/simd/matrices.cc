// matrices.cc: several matrix products side by side.
#include <algorithm>

#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/matrices.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/pairs_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

// Some rows of a matrix by two vectors of channels, or the last one.
struct Rows {
  const std::byte* x;
  std::ptrdiff_t step;
  std::int64_t units;
  const std::int32_t* w;
  const std::int32_t* start;
  std::int32_t* acc;
  std::ptrdiff_t acc_step;
};

// `times` kRows of them. A function of its own, so that it has the registers for itself.
template <int kVectors, int kRows>
HWY_NOINLINE void multiply_rows(const Rows& rows, std::int64_t times) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  const std::ptrdiff_t step = rows.step, acc_step = rows.acc_step;
  const std::int64_t units = rows.units;
  const std::byte* x = rows.x;
  std::int32_t* acc = rows.acc;
  for (; times > 0; --times) {
    SumVector sums[kRows][kVectors];
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      const SumVector first = rows.start == nullptr ? hn::Zero(d) : hn::LoadU(d, rows.start + v * lanes);
      unrolled<kRows>([&](auto r) HWY_ATTR { sums[r][v] = first; });
    });
    const std::int32_t* w = rows.w;
    const std::byte *x0 = x, *x3 = x + 3 * step;
    for (std::int64_t u = 0; u < units; u += 2) {
      unrolled<2>([&](auto k) HWY_ATTR {
        SumVector weights[kVectors];
        unrolled<kVectors>([&](auto v) HWY_ATTR { weights[v] = hn::LoadU(d, w + (k * kVectors + v) * lanes); });
        unrolled<kRows>([&](auto r) HWY_ATTR {
          std::int32_t unit;
          __builtin_memcpy(&unit, (r < 3 ? x0 : x3) + (r % 3) * step + k * 4, sizeof(unit));
          const SumVector repeated = hn::Set(d, unit);
          unrolled<kVectors>([&](auto v) HWY_ATTR { sums[r][v] = add_pairs(d, sums[r][v], repeated, weights[v]); });
        });
      });
      x0 += 8, x3 += 8;
      w += 2 * kVectors * lanes;
    }
    unrolled<kRows>([&](auto r) HWY_ATTR {
      unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(sums[r][v], d, acc + r * acc_step + v * lanes); });
    });
    x += kRows * step;
    acc += kRows * acc_step;
  }
}

template <int kVectors>
HWY_INLINE void multiply_all_rows(Rows rows, std::int64_t count) {
  using Function = void (*)(const Rows&, std::int64_t);
  constexpr Function kFunctions[] = {multiply_rows<kVectors, 1>, multiply_rows<kVectors, 2>,
                                     multiply_rows<kVectors, 3>, multiply_rows<kVectors, 4>,
                                     multiply_rows<kVectors, 5>, multiply_rows<kVectors, 6>};
  const auto multiply = [&](std::int64_t at_once, std::int64_t times) HWY_ATTR {
    if (times == 0) return;
    kFunctions[at_once - 1](rows, times);
    rows.x += times * at_once * rows.step;
    rows.acc += times * at_once * rows.acc_step;
  };
  // By six; the last ones so that none are much fewer than the others.
  const std::int64_t sixes = count % 6 == 0 ? count / 6 : std::max<std::int64_t>(count / 6 - 1, 0);
  const std::int64_t left = count - 6 * sixes, half = left / 2;
  multiply(6, sixes);
  if (left == 0) return;
  if (left <= 6) return multiply(left, 1);
  multiply(left - half, left % 2 == 0 ? 2 : 1);
  if (left % 2 != 0) multiply(half, 1);
}

void multiply_matrices(const Matrices& m) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  const std::int64_t width = m.vectors * lanes;
  const std::byte* x = m.x;
  const auto* w = reinterpret_cast<const std::int32_t*>(m.w);
  std::int32_t* acc = m.acc;
  for (std::int64_t position = 0; position < m.positions; ++position) {
    const std::int64_t units = m.elements[position] * m.element_units;
    for (std::int64_t first = 0; first < width; first += 2 * lanes) {
      const std::int32_t* start = position == m.start_position ? m.start + first : nullptr;
      const Rows rows = {x, m.row_step, units, w + first * units, start, acc + first, m.positions * width};
      if (first + 2 * lanes <= width)
        multiply_all_rows<2>(rows, m.rows);
      else
        multiply_all_rows<1>(rows, m.rows);
    }
    x += units * 4;
    w += units * width;
    acc += width;
  }
}

void add_matrices(Products& found) { found.matrices = multiply_matrices; }

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(add_matrices);

void add_matrices_for_current_target(Products& found) { HWY_DYNAMIC_DISPATCH(add_matrices)(found); }

}  // namespace octet::fast
#endif
