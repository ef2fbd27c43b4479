#include "octet/engine/fast/simd/products.h"

#include <algorithm>
#include <array>
#include <utility>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"
#include "octet/engine/fast/simd/pairs_inl.h"
#include "octet/engine/fast/simd/quads_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

// Pixels that a tile has at most: how many accumulators the registers hold beside what is multiplied.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kMostPixels = 12;
#else
constexpr int kMostPixels = 6;
#endif

template <int kPixels, int kVectors>
using TileSums = SumVector[kPixels][kVectors];

// A unit of a pixel, repeated.
HWY_INLINE SumVector repeated_unit(const std::byte* x) {
  std::int32_t unit;
  __builtin_memcpy(&unit, x, sizeof(unit));
  return hn::Set(Sums(), unit);
}

// The same kOffset bytes behind the pixel kSteps (0, 1 or 2) to the right.
template <int kSteps, int kOffset>
HWY_INLINE SumVector repeated_unit_at(const std::byte* x, std::ptrdiff_t step) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (kSteps > 0) {
    // Written out, because the compiler keeps sums of steps and offsets, for which it has no registers.
    struct Pixels {
      std::byte bytes[1 << 20];  // that the instruction may read some of
    };
    SumVector unit;
    asm("vpbroadcastd %c3(%1,%2,%c4), %0"
        : "=x"(unit.raw)
        : "r"(x), "r"(step), "i"(kOffset), "i"(kSteps), "m"(*reinterpret_cast<const Pixels*>(x)));
    return unit;
  }
#endif
  return repeated_unit(x + kSteps * step + kOffset);
}

// ---- kinds of tiles: each adds the products of all runs to the sums of the pixels from x on

// What they read of a tile.
struct Source {
  std::ptrdiff_t step;
  const std::int32_t* runs;
  std::int64_t run_count, run_units;
  const std::int32_t* w;

  HWY_INLINE explicit Source(const Tile& tile)
      : step(tile.pixel_step),
        runs(tile.runs),
        run_count(tile.run_count),
        run_units(tile.run_units),
        w(reinterpret_cast<const std::int32_t*>(tile.w)) {}
};

// Unit by unit, by an instruction that adds its products to int32.
template <typename Multiply>
struct ByUnits {
  static constexpr int kMost = kMostPixels;

  template <int kPixels, int kVectors>
  static HWY_INLINE void accumulate(const Source& source, const std::byte* x, TileSums<kPixels, kVectors>& sums) {
    const std::int32_t* w = source.w;
    const std::ptrdiff_t step = source.step, three = 3 * step;
    for (std::int64_t r = 0; r < source.run_count; ++r) {
      const std::byte* first = x + source.runs[r];
      const std::byte* of_three[] = {first, first + three, first + 2 * three, first + 3 * three};
      std::int64_t units = source.run_units;
      for (; units >= 2; units -= 2) add_units<2, kPixels, kVectors>(of_three, step, w, sums);
      if (units > 0) add_units<1, kPixels, kVectors>(of_three, step, w, sums);
    }
  }

 private:
  // `of_three` points at every third pixel; the others are multiples of `step` away.
  template <int kUnits, int kPixels, int kVectors>
  static HWY_INLINE void add_units(const std::byte* (&of_three)[4], std::ptrdiff_t step, const std::int32_t*& w,
                                   TileSums<kPixels, kVectors>& sums) {
    const Sums d;
    const std::size_t lanes = hn::Lanes(d);
    unrolled<kUnits>([&](auto k) HWY_ATTR {
      SumVector weights[kVectors];
      unrolled<kVectors>([&](auto v) HWY_ATTR { weights[v] = hn::LoadU(d, w + (k * kVectors + v) * lanes); });
      unrolled<kPixels>([&](auto p) HWY_ATTR {
        const SumVector unit = repeated_unit_at<p % 3, k * 4>(of_three[p / 3], step);
        unrolled<kVectors>([&](auto v) HWY_ATTR { sums[p][v] = Multiply::add(sums[p][v], unit, weights[v]); });
      });
    });
    for (const std::byte*& x : of_three) x += 4 * kUnits;
    w += kUnits * kVectors * lanes;
  }
};

struct AddPairs {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) { return add_pairs(Sums(), sum, x, w); }
};
using Pairs = ByUnits<AddPairs>;

#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2 || (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
using Quads = ByUnits<AddQuads>;
#endif

#if HWY_TARGET == HWY_AVX2
alignas(32) constexpr std::int16_t kOnes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
#endif

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// sum + the products of the bytes of two units: neighbours added in int16, then those of both units, then in int32.
HWY_INLINE SumVector add_safe_quads(SumVector sum, SumVector x0, SumVector x1, SumVector w0, SumVector w1) {
#if HWY_TARGET == HWY_AVX2
  // Written out, and the ones in memory, so that a tile has registers for all else.
  __m256i first, second;
  asm("vpmaddubsw %5, %3, %1\n\tvpmaddubsw %6, %4, %2\n\tvpaddw %2, %1, %1\n\t"
      "vpmaddwd %7, %1, %1\n\tvpaddd %1, %0, %0"
      : "+x"(sum.raw), "=&x"(first), "=&x"(second)
      : "x"(x0.raw), "x"(x1.raw), "x"(w0.raw), "x"(w1.raw), "m"(*reinterpret_cast<const __m256i*>(kOnes)));
  return sum;
#else
  const __m512i products = _mm512_add_epi16(_mm512_maddubs_epi16(x0.raw, w0.raw), _mm512_maddubs_epi16(x1.raw, w1.raw));
  return hn::Add(sum, SumVector{_mm512_madd_epi16(products, _mm512_set1_epi16(1))});
#endif
}

struct SafeQuads {
  static constexpr int kMost = 4;

  template <int kPixels, int kVectors>
  static HWY_INLINE void accumulate(const Source& source, const std::byte* x, TileSums<kPixels, kVectors>& sums) {
    const Sums d;
    const std::size_t lanes = hn::Lanes(d);
    const std::int32_t* w = source.w;
    const std::ptrdiff_t step = source.step, three = 3 * step;
    for (std::int64_t r = 0; r < source.run_count; r += 2) {
      const std::byte *const first = x + source.runs[r], *const second = x + source.runs[r + 1];
      SumVector weights[2][kVectors];
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        weights[0][v] = hn::LoadU(d, w + v * lanes);
        weights[1][v] = hn::LoadU(d, w + (kVectors + v) * lanes);
      });
      unrolled<kPixels>([&](auto p) HWY_ATTR {
        const SumVector x0 = repeated_unit_at<p % 3, 0>(p < 3 ? first : first + three, step);
        const SumVector x1 = repeated_unit_at<p % 3, 0>(p < 3 ? second : second + three, step);
        unrolled<kVectors>(
            [&](auto v) HWY_ATTR { sums[p][v] = add_safe_quads(sums[p][v], x0, x1, weights[0][v], weights[1][v]); });
      });
      w += 2 * kVectors * lanes;
    }
  }
};
#endif

// ---- what becomes of the sums

// As they are.
struct StoreSums {
  std::int32_t* acc;
  std::ptrdiff_t step, row_step;

  HWY_INLINE explicit StoreSums(const Tile& tile) : acc(tile.acc), step(tile.acc_step), row_step(tile.acc_row_step) {}

  HWY_INLINE void go_down() { acc += row_step; }

  template <int kPixels, int kVectors>
  HWY_INLINE void operator()(const TileSums<kPixels, kVectors>& sums) {
    const Sums d;
    const std::size_t lanes = hn::Lanes(d);
    std::int32_t* to = acc;
    unrolled<kPixels>([&](auto p) HWY_ATTR {
      unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(sums[p][v], d, to + v * lanes); });
      to += step;
    });
    acc = to;
  }
};

// As bytes.
struct StoreBytes {
  const float* multipliers;
  Saturation saturation;
#if HWY_TARGET == HWY_AVX2
  Packing packing;
#endif
  std::uint8_t* y;
  std::ptrdiff_t step, row_step;

  HWY_INLINE explicit StoreBytes(const Tile& tile)
      : multipliers(tile.requantization.multipliers),
        saturation{tile.requantization.bounds, tile.requantization.zero_point},
#if HWY_TARGET == HWY_AVX2
        packing(saturation),
#endif
        y(tile.y),
        step(tile.y_step),
        row_step(tile.y_row_step) {
  }

  HWY_INLINE void go_down() { y += row_step; }

  // Bytes are packed from four vectors at a time, where those have 8 lanes.
  template <int kPixels, int kVectors>
  HWY_INLINE void operator()(const TileSums<kPixels, kVectors>& sums) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto real = [&](auto p, auto v) HWY_ATTR {
      return hn::Mul(hn::ConvertTo(d, sums[p][v]), hn::LoadU(d, multipliers + v * lanes));
    };
#if HWY_TARGET == HWY_AVX2
    constexpr int kTogether = 4 / kVectors, kWhole = kPixels / kTogether * kTogether;
    std::uint8_t* to = y;
    unrolled<kPixels / kTogether>([&](auto k) HWY_ATTR {
      const auto at = [&](auto n) HWY_ATTR {
        return real(std::integral_constant<int, k * kTogether + n / kVectors>(),
                    std::integral_constant<int, n % kVectors>())
            .raw;
      };
      const auto [first, second] = packing.pack_by_two<Overflow::kGivesLeast>(
          at(std::integral_constant<int, 0>()), at(std::integral_constant<int, 1>()),
          at(std::integral_constant<int, 2>()), at(std::integral_constant<int, 3>()));
      if constexpr (kVectors == 2) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), first);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + step), second);
      } else {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), first);
        _mm_storeh_pd(reinterpret_cast<double*>(to + step), _mm_castsi128_pd(first));
        to += 2 * step;
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), second);
        _mm_storeh_pd(reinterpret_cast<double*>(to + step), _mm_castsi128_pd(second));
      }
      to += 2 * step;
    });
#else
    constexpr int kWhole = 0;
#endif
    unrolled<kPixels - kWhole>([&](auto p) HWY_ATTR {
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        constexpr std::integral_constant<int, kWhole + p> kPixel;
        saturation.store(d, real(kPixel, v), y + kPixel * step + v * lanes);
      });
    });
    y += kPixels * step;
  }
};

// ---- tiles

template <typename Kind, int kVectors, int kPixels, typename Store>
HWY_INLINE void multiply_tile(const Source& source, const std::byte* x, const std::int32_t* start, Store& store) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  TileSums<kPixels, kVectors> sums;
  unrolled<kVectors>([&](auto v) HWY_ATTR {
    const SumVector first = start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + v * lanes);
    unrolled<kPixels>([&](auto p) HWY_ATTR { sums[p][v] = first; });
  });
  Kind::template accumulate<kPixels, kVectors>(source, x, sums);
  store.template operator()<kPixels, kVectors>(sums);
}

// `times` tiles side by side, in all rows. A function of its own, so that it has the registers for itself.
template <typename Kind, typename Store, int kVectors, int kPixels>
HWY_NOINLINE void multiply_tiles(const Tile& tile, std::int64_t times) {
  const Source source(tile);  // in registers: what is stored might be the tile itself
  const std::int32_t* const start = tile.start;
  const std::ptrdiff_t row_step = tile.row_step;
  const std::byte* row = tile.x;
  Store of_row(tile);
  for (std::int64_t r = tile.rows; r > 0; --r, row += row_step) {
    const std::byte* x = row;
    Store store = of_row;
    for (std::int64_t t = 0; t < times; ++t, x += kPixels * source.step)
      multiply_tile<Kind, kVectors, kPixels>(source, x, start, store);
    of_row.go_down();
  }
}

using TileFunction = void (*)(const Tile&, std::int64_t);

// By the number of pixels, less 1.
template <typename Kind, typename Store, int kVectors, int... i>
constexpr std::array<TileFunction, sizeof...(i)> tile_functions(std::integer_sequence<int, i...>) {
  return {multiply_tiles<Kind, Store, kVectors, i + 1>...};
}

// multiply(size, times) of tiles that have `count` together: the largest, and last some that are not much smaller.
template <int kMost, typename Multiply>
HWY_INLINE void in_tiles(std::int64_t count, Multiply multiply) {
  const std::int64_t large = count % kMost == 0 ? count / kMost : std::max<std::int64_t>(count / kMost - 1, 0);
  const std::int64_t left = count - kMost * large, half = left / 2;
  if (large > 0) multiply(kMost, large);
  if (left == 0) return;
  if (left <= kMost) return multiply(left, 1);
  multiply(left - half, left % 2 == 0 ? 2 : 1);
  if (left % 2 != 0) multiply(half, 1);
}

template <typename Kind, typename Store, int kVectors>
void multiply_row(const Tile& tile, std::int64_t pixels) {
  static constexpr auto kFunctions =
      tile_functions<Kind, Store, kVectors>(std::make_integer_sequence<int, Kind::kMost>());
  Tile rest = tile;
  in_tiles<Kind::kMost>(pixels, [&](std::int64_t at_once, std::int64_t times) HWY_ATTR {
    kFunctions[static_cast<std::size_t>(at_once - 1)](rest, times);
    rest.x += times * at_once * tile.pixel_step;
    rest.acc += times * at_once * tile.acc_step;
    rest.y += times * at_once * tile.y_step;
  });
}

template <typename Kind>
void multiply(const Tile& tile, std::int64_t pixels, std::int64_t vectors) {
  using Function = void (*)(const Tile&, std::int64_t);
  static constexpr Function kToSums[] = {multiply_row<Kind, StoreSums, 1>, multiply_row<Kind, StoreSums, 2>};
  static constexpr Function kToBytes[] = {multiply_row<Kind, StoreBytes, 1>, multiply_row<Kind, StoreBytes, 2>};
  (tile.requantization.multipliers == nullptr ? kToSums : kToBytes)[vectors - 1](tile, pixels);
}

// ---- matrices

// Units that are multiplied without a jump in between; every position has a multiple of them.
constexpr int kUnitsTogether =
    HWY_TARGET == HWY_SCALAR ? 2 : std::min(static_cast<int>(hn::MaxLanes(hn::ScalableTag<std::int16_t>())) / 2, 8);

// Adds the products of that many units of kRows rows to the sums; the first ones are the sums.
template <bool kFirst, int kRows, int kVectors>
HWY_INLINE void add_units_together(const std::byte*& x, std::ptrdiff_t step, std::ptrdiff_t three,
                                   const std::int32_t*& w, TileSums<kRows, kVectors>& sums) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  asm volatile("" : "+r"(x));
  const std::byte* const of_three[] = {x, x + three};
  unrolled<kUnitsTogether>([&](auto k) HWY_ATTR {
    SumVector weights[kVectors];
    unrolled<kVectors>([&](auto v) HWY_ATTR { weights[v] = hn::LoadU(d, w + (k * kVectors + v) * lanes); });
    unrolled<kRows>([&](auto p) HWY_ATTR {
      const SumVector unit = repeated_unit_at<p % 3, k * 4>(of_three[p / 3], step);
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        if constexpr (kFirst && k == 0)
          sums[p][v] = multiply_pairs(d, unit, weights[v]);
        else
          sums[p][v] = AddPairs::add(sums[p][v], unit, weights[v]);
      });
    });
  });
  x += 4 * kUnitsTogether;
  w += kUnitsTogether * kVectors * lanes;
}

// kRows of them, `times` one behind the other, of one position and kVectors of channels. A function of its own, and one that
// gets by with registers: what it puts aside the processor may take for a sum that is being stored, where the addresses end
// alike, and wait. So the compiler is not to know which addresses are multiples of others.
template <int kRows, int kVectors>
HWY_NOINLINE void multiply_rows(const std::byte* x, std::ptrdiff_t step, const std::int32_t* const w,
                                std::int64_t units, const std::int32_t* start, std::int32_t* acc,
                                std::ptrdiff_t acc_step, std::int64_t times) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  const std::ptrdiff_t three = 3 * step, next = kRows * step - 4 * units;
  for (; times > 0; --times) {
    TileSums<kRows, kVectors> sums;
    const std::int32_t* of_units = w;
    add_units_together<true, kRows, kVectors>(x, step, three, of_units, sums);
    for (std::int64_t left = units - kUnitsTogether; left > 0; left -= kUnitsTogether)
      add_units_together<false, kRows, kVectors>(x, step, three, of_units, sums);
    if (start != nullptr)
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        const SumVector more = hn::LoadU(d, start + v * lanes);
        unrolled<kRows>([&](auto p) HWY_ATTR { sums[p][v] = hn::Add(sums[p][v], more); });
      });
    unrolled<kRows>([&](auto p) HWY_ATTR {
      asm volatile("" : "+r"(acc));
      unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(sums[p][v], d, acc + v * lanes); });
      acc += acc_step;
    });
    x += next;
  }
}

// `times` kRows of them from a row on, in all positions and channels. Weights are read once, from the first to the last.
template <int kRows>
HWY_NOINLINE void multiply_positions(const Matrices& m, std::int64_t row, std::int64_t times) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  const std::int64_t width = m.vectors * lanes;
  const std::byte* x = m.x + row * m.row_step;
  const auto* w = reinterpret_cast<const std::int32_t*>(m.w);
  std::int32_t* acc = m.acc + row * m.positions * width;
  for (std::int64_t position = 0; position < m.positions; ++position) {
    const std::int64_t units = m.elements[position] * m.element_units;
    for (std::int64_t v = 0, now; v < m.vectors; v += now) {
      now = std::min<std::int64_t>(m.vectors - v, 2);
      const std::int32_t* start = position == m.start_position ? m.start + v * lanes : nullptr;
      (now == 2 ? multiply_rows<kRows, 2> : multiply_rows<kRows, 1>)(x, m.row_step, w, units, start, acc,
                                                                     m.positions * width, times);
      w += units * now * lanes;
      acc += now * lanes;
    }
    x += units * 4;
  }
}

void multiply_matrices(const Matrices& m) {
  using Function = void (*)(const Matrices&, std::int64_t, std::int64_t);
  static constexpr Function kFunctions[] = {multiply_positions<1>, multiply_positions<2>, multiply_positions<3>,
                                            multiply_positions<4>, multiply_positions<5>, multiply_positions<6>};
  std::int64_t row = 0;
  in_tiles<6>(m.rows, [&](std::int64_t at_once, std::int64_t times) HWY_ATTR {
    kFunctions[at_once - 1](m, row, times);
    row += at_once * times;
  });
}

Products make_products(Extension extension) {
  Products found{};
  found.lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  found.pairs = multiply<Pairs>;
  found.matrices = multiply_matrices;
#if HWY_TARGET == HWY_AVX3_DL
  found.quads = multiply<Quads>;
#elif HWY_TARGET == HWY_AVX3
  found.safe_quads = multiply<SafeQuads>;
#elif HWY_TARGET == HWY_AVX2
  found.safe_quads = multiply<SafeQuads>;
  if (extension == Extension::kVexVnni) found.quads = multiply<Quads>;
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (extension == Extension::kI8mm) found.quads = multiply<Quads>;
  if (extension == Extension::kDotprod) {
    found.quads = multiply<ByUnits<AddSignedQuads> >;
    found.quads_are_signed = true;
  }
#endif
  static_cast<void>(extension);
  return found;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
