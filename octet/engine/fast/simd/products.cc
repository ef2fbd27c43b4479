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

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Sums = hn::ScalableTag<std::int32_t>;
using SumVector = hn::Vec<Sums>;

template <typename F, int... i>
HWY_INLINE void unrolled(F f, std::integer_sequence<int, i...>) {
  (f(std::integral_constant<int, i>()), ...);
}
template <int kCount, typename F>
HWY_INLINE void unrolled(F f) {
  unrolled(f, std::make_integer_sequence<int, kCount>());
}

// sum + a.low * b.low + a.high * b.high of each 32-bit lane read as two int16.
template <typename D>
HWY_INLINE hn::Vec<D> add_pairs(D d, hn::Vec<D> sum, hn::Vec<D> a, hn::Vec<D> b) {
#if HWY_TARGET == HWY_AVX3_DL  // Highway does not ask the compiler for these instructions; the assembler knows them
  if constexpr (hn::MaxLanes(D()) >= 8) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
#elif HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16)
    return hn::Add(sum, hn::Vec<D>{_mm512_madd_epi16(a.raw, b.raw)});
  else if constexpr (hn::MaxLanes(D()) == 8)
    return hn::Add(sum, hn::Vec<D>{_mm256_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_AVX2
  if constexpr (hn::MaxLanes(D()) == 8) {
    // Written out, because the compiler adds products to one another first and runs out of registers.
    __m256i product;
    asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum.raw), "=&x"(product) : "x"(a.raw), "xm"(b.raw));
    return sum;
  }
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  if constexpr (hn::MaxLanes(D()) == 4) return hn::Add(sum, hn::Vec<D>{_mm_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_NEON
  if constexpr (hn::MaxLanes(D()) == 4) {
    const int16x8_t p = vreinterpretq_s16_s32(a.raw), q = vreinterpretq_s16_s32(b.raw);
    return hn::Add(sum, hn::Vec<D>{vpaddq_s32(vmull_s16(vget_low_s16(p), vget_low_s16(q)), vmull_high_s16(p, q))});
  }
#endif
  (void)d;
  const auto low = [](auto v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  return hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b))));
}

struct Pairs {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) { return add_pairs(Sums(), sum, x, w); }
};

#if HWY_TARGET == HWY_AVX3_DL
struct Quads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
    return sum;
  }
};
#endif

// How many accumulators the registers hold beside what is multiplied.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kMostPixels = 12;
#else
constexpr int kMostPixels = 6;
#endif

// ---- tiles

// sums(p, v), the vectors of each pixel, requantized. Bytes are packed from four vectors at a time, where those have 8 lanes.
template <int kVectors, int kPixels, typename SumsAt>
HWY_INLINE void store_requantized(const Tile& tile, SumsAt sums) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const Saturation saturation = {tile.requantization.bounds, tile.requantization.zero_point};
  const float* const multipliers = tile.requantization.multipliers;
  std::uint8_t* const y = tile.y;
  const std::ptrdiff_t y_step = tile.y_step;
  const auto real = [&](auto p, auto v) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(d, sums(p, v)), hn::LoadU(d, multipliers + v * lanes));
  };
#if HWY_TARGET == HWY_AVX2
  const Packing packing(saturation);
  constexpr int kTogether = 4 / kVectors, kWhole = kPixels / kTogether * kTogether;
  unrolled<kPixels / kTogether>([&](auto k) HWY_ATTR {
    const auto at = [&](auto n) HWY_ATTR {
      return real(std::integral_constant<int, k * kTogether + n / kVectors>(),
                  std::integral_constant<int, n % kVectors>())
          .raw;
    };
    const __m256i bytes =
        packing.pack<Overflow::kSaturates>(at(std::integral_constant<int, 0>()), at(std::integral_constant<int, 1>()),
                                           at(std::integral_constant<int, 2>()), at(std::integral_constant<int, 3>()));
    const __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
    std::uint8_t* const to = y + k * kTogether * y_step;
    if constexpr (kVectors == 2) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + y_step), high);
    } else {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), low);
      _mm_storeh_pd(reinterpret_cast<double*>(to + y_step), _mm_castsi128_pd(low));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 2 * y_step), high);
      _mm_storeh_pd(reinterpret_cast<double*>(to + 3 * y_step), _mm_castsi128_pd(high));
    }
  });
#else
  constexpr int kWhole = 0;
#endif
  unrolled<kPixels - kWhole>([&](auto p) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      constexpr std::integral_constant<int, kWhole + p> kPixel;
      saturation.store(d, real(kPixel, v), y + kPixel * y_step + v * lanes);
    });
  });
}

template <int kVectors, int kPixels, typename SumsAt>
HWY_INLINE void store_tile(const Tile& tile, SumsAt sums) {
  if (tile.requantization.multipliers != nullptr) return store_requantized<kVectors, kPixels>(tile, sums);
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  std::int32_t* const acc = tile.acc;  // in registers: vectors that are stored might be the tile itself
  const std::ptrdiff_t acc_step = tile.acc_step;
  unrolled<kPixels>([&](auto p) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(sums(p, v), d, acc + p * acc_step + v * lanes); });
  });
}

template <typename Multiply, int kVectors, int kPixels>
void multiply_tile(const Tile& tile) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  SumVector sums[kPixels][kVectors];
  unrolled<kVectors>([&](auto v) HWY_ATTR {
    const SumVector start = hn::LoadU(d, tile.start + v * lanes);
    unrolled<kPixels>([&](auto p) HWY_ATTR { sums[p][v] = start; });
  });
  const auto* w = reinterpret_cast<const std::int32_t*>(tile.w);
  const std::ptrdiff_t step = tile.pixel_step, three = 3 * step;
  for (std::int64_t r = 0; r < tile.run_count; ++r) {
    const std::byte* x0 = tile.x + tile.runs[r];
    const std::byte* x3 = x0 + three;
    const std::byte* x6 = x3 + three;
    const std::byte* x9 = x6 + three;
    for (std::int64_t u = 0; u < tile.run_units; ++u) {
      SumVector weights[kVectors];
      unrolled<kVectors>([&](auto v) HWY_ATTR { weights[v] = hn::LoadU(d, w + v * lanes); });
      unrolled<kPixels>([&](auto p) HWY_ATTR {
        const std::byte* from = p < 3 ? x0 : p < 6 ? x3 : p < 9 ? x6 : x9;
        std::int32_t unit;
        __builtin_memcpy(&unit, from + (p % 3) * step, sizeof(unit));
        const SumVector x = hn::Set(d, unit);
        unrolled<kVectors>([&](auto v) HWY_ATTR { sums[p][v] = Multiply::add(sums[p][v], x, weights[v]); });
      });
      x0 += 4, x3 += 4, x6 += 4, x9 += 4;
      w += kVectors * lanes;
    }
  }
  store_tile<kVectors, kPixels>(tile, [&](auto p, auto v) HWY_ATTR { return sums[p][v]; });
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// Products of uint8 and int8, neighbours added, in int16.
HWY_INLINE auto byte_products(SumVector x, SumVector w) {
#if HWY_TARGET == HWY_AVX2
  return _mm256_maddubs_epi16(x.raw, w.raw);
#else
  return _mm512_maddubs_epi16(x.raw, w.raw);
#endif
}
// sum + the two int16 of each lane of p + q
template <typename Raw>
HWY_INLINE SumVector add_products(SumVector sum, Raw p, Raw q) {
#if HWY_TARGET == HWY_AVX2
  return hn::Add(sum, SumVector{_mm256_madd_epi16(_mm256_add_epi16(p, q), _mm256_set1_epi16(1))});
#else
  return hn::Add(sum, SumVector{_mm512_madd_epi16(_mm512_add_epi16(p, q), _mm512_set1_epi16(1))});
#endif
}

template <int kVectors, int kPixels>
void multiply_safe_tile(const Tile& tile) {
  const Sums d;
  const std::size_t lanes = hn::Lanes(d);
  SumVector sums[kVectors][kPixels];
  unrolled<kVectors>([&](auto v) HWY_ATTR {
    const SumVector start = hn::LoadU(d, tile.start + v * lanes);
    unrolled<kPixels>([&](auto p) HWY_ATTR { sums[v][p] = start; });
  });
  const auto* w = reinterpret_cast<const std::int32_t*>(tile.w);
  const std::ptrdiff_t step = tile.pixel_step, three = 3 * step;
  for (std::int64_t r = 0; r < tile.run_count; ++r) {
    const std::byte* x0 = tile.x + tile.runs[r];
    const std::byte* x3 = x0 + three;
    // Vector by vector: its weights stay in registers, x is repeated from the cache.
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      const SumVector first = hn::LoadU(d, w + v * lanes), second = hn::LoadU(d, w + (kVectors + v) * lanes);
      unrolled<kPixels>([&](auto p) HWY_ATTR {
        std::int32_t units[2];
        __builtin_memcpy(units, (p < 3 ? x0 : x3) + (p % 3) * step, sizeof(units));
        sums[v][p] = add_products(sums[v][p], byte_products(hn::Set(d, units[0]), first),
                                  byte_products(hn::Set(d, units[1]), second));
      });
    });
    w += 2 * kVectors * lanes;
  }
  store_tile<kVectors, kPixels>(tile, [&](auto p, auto v) HWY_ATTR { return sums[v][p]; });
}
#endif

using TileFunction = void (*)(const Tile&);

// By the number of pixels, less 1.
template <typename Multiply, int kVectors, int... i>
constexpr std::array<TileFunction, sizeof...(i)> tile_functions(std::integer_sequence<int, i...>) {
  return {multiply_tile<Multiply, kVectors, i + 1>...};
}
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
template <int kVectors, int... i>
constexpr std::array<TileFunction, sizeof...(i)> safe_tile_functions(std::integer_sequence<int, i...>) {
  return {multiply_safe_tile<kVectors, i + 1>...};
}
#endif

// In tiles of about the same size.
template <std::size_t kMost>
HWY_INLINE void multiply_row(const std::array<TileFunction, kMost>& functions, Tile tile, std::int64_t pixels) {
  const auto count = static_cast<std::uint32_t>(pixels);  // of a piece: short divisions are quicker
  const auto tiles = static_cast<std::uint32_t>((count + kMost - 1) / kMost), least = tiles == 0 ? 0 : count / tiles;
  for (std::uint32_t t = 0; t < tiles; ++t) {
    const std::uint32_t now = least + (t < count - least * tiles ? 1 : 0);
    functions[now - 1](tile);
    tile.x += now * tile.pixel_step;
    tile.acc += now * tile.acc_step;
    tile.y += now * tile.y_step;
  }
}

template <typename Multiply>
void multiply(const Tile& tile, std::int64_t pixels, std::int64_t vectors) {
  constexpr std::make_integer_sequence<int, kMostPixels> kPixels;
  static constexpr auto kOne = tile_functions<Multiply, 1>(kPixels), kTwo = tile_functions<Multiply, 2>(kPixels);
  multiply_row(vectors == 2 ? kTwo : kOne, tile, pixels);
}

// ---- matrices

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

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
void multiply_safely(const Tile& tile, std::int64_t pixels, std::int64_t vectors) {
  constexpr std::make_integer_sequence<int, 4> kPixels;
  static constexpr auto kOne = safe_tile_functions<1>(kPixels), kTwo = safe_tile_functions<2>(kPixels);
  multiply_row(vectors == 2 ? kTwo : kOne, tile, pixels);
}
#endif

// ---- depthwise

#if HWY_TARGET == HWY_SCALAR
using Shorts = hn::ScalableTag<std::int16_t>;

void multiply_depthwise(const Depthwise& tile, std::int64_t pixels) {
  for (std::int64_t p = 0; p < pixels; ++p)
    for (std::int64_t c = 0; c < tile.channels; ++c) {
      auto sum = static_cast<std::uint32_t>(tile.start[c]);
      for (std::int64_t t = 0; t < tile.tap_count; ++t)
        sum +=
            static_cast<std::uint32_t>(tile.x[p * tile.pixel_step + tile.taps[t] + c] * tile.w[c * tile.tap_count + t]);
      if (tile.requantization.multipliers == nullptr) {
        tile.acc[p * tile.acc_step + c] = static_cast<std::int32_t>(sum);
        continue;
      }
      const hn::ScalableTag<float> d;
      const float real = static_cast<float>(static_cast<std::int32_t>(sum)) * tile.requantization.multipliers[c];
      Saturation{tile.requantization.bounds, tile.requantization.zero_point}.store(d, hn::Set(d, real),
                                                                                   tile.y + p * tile.y_step + c);
    }
}
#else
// Vectors of at most 32 bytes: interleaving works on blocks of 16, and two of them are put in order at little cost.
using Shorts = hn::CappedTag<std::int16_t, 16>;
using ShortVector = hn::Vec<Shorts>;
using DepthwiseSums = hn::RepartitionToWide<Shorts>;
using DepthwiseVector = hn::Vec<DepthwiseSums>;

// Interleaving has left the channels of every 8, less the first 4 of them, in `high`.
template <int kPixels>
HWY_INLINE void store_depthwise(const Depthwise& tile, std::int64_t c, const DepthwiseVector (&low)[kPixels],
                                const DepthwiseVector (&high)[kPixels]) {
  const DepthwiseSums d32;
  const std::size_t half = hn::Lanes(d32);
  const hn::Rebind<float, DepthwiseSums> reals;
  const Requantization& requantization = tile.requantization;
  const Saturation saturation = {requantization.bounds, requantization.zero_point};
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (kPixels % 2 == 0)
    if (requantization.multipliers != nullptr) {  // packing brings them in order again
      const auto load = [](const void* from) HWY_ATTR {
        const auto* at = static_cast<const __m128i*>(from);
        return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(at)), _mm_loadu_si128(at + 2), 1);
      };
      const __m256i start_low = load(tile.start + c), start_high = load(tile.start + c + 4);
      const __m256 by_low = _mm256_castsi256_ps(load(requantization.multipliers + c));
      const __m256 by_high = _mm256_castsi256_ps(load(requantization.multipliers + c + 4));
      const auto real = [](DepthwiseVector sum, __m256i start, __m256 by) HWY_ATTR {
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(sum.raw, start)), by);
      };
      const Packing packing(saturation);
      unrolled<kPixels / 2>([&](auto k) HWY_ATTR {
        constexpr int kFirst = 2 * k, kSecond = kFirst + 1;
        const __m256i bytes = _mm256_permute4x64_epi64(
            packing.pack_halves<Overflow::kSaturates>(
                real(low[kFirst], start_low, by_low), real(high[kFirst], start_high, by_high),
                real(low[kSecond], start_low, by_low), real(high[kSecond], start_high, by_high)),
            0xD8);
        std::uint8_t* const to = tile.y + kFirst * tile.y_step + c;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + tile.y_step), _mm256_extracti128_si256(bytes, 1));
      });
      return;
    }
#endif
  const auto start_low = hn::LoadU(d32, tile.start + c), start_high = hn::LoadU(d32, tile.start + c + half);
  unrolled<kPixels>([&](auto p) HWY_ATTR {
    DepthwiseVector first = low[p], second = high[p];
    if constexpr (hn::MaxLanes(Shorts()) == 16) {
      first = hn::ConcatLowerLower(d32, high[p], low[p]);
      second = hn::ConcatUpperUpper(d32, high[p], low[p]);
    }
    first = hn::Add(first, start_low);
    second = hn::Add(second, start_high);
    if (requantization.multipliers == nullptr) {
      std::int32_t* to = tile.acc + p * tile.acc_step + c;
      hn::StoreU(first, d32, to);
      hn::StoreU(second, d32, to + half);
    } else {
      const float* by = requantization.multipliers + c;
      std::uint8_t* to = tile.y + p * tile.y_step + c;
      saturation.store(reals, hn::Mul(hn::ConvertTo(reals, first), hn::LoadU(reals, by)), to);
      saturation.store(reals, hn::Mul(hn::ConvertTo(reals, second), hn::LoadU(reals, by + half)), to + half);
    }
  });
}

template <int kPixels>
void depthwise_tile(const Depthwise& tile) {
  const Shorts d16;
  const DepthwiseSums d32;
  const std::size_t lanes = hn::Lanes(d16);
  const std::int16_t* w = tile.w;
  for (std::int64_t c = 0; c < tile.channels; c += static_cast<std::int64_t>(lanes)) {
    DepthwiseVector low[kPixels], high[kPixels];
    unrolled<kPixels>([&](auto p) HWY_ATTR { low[p] = high[p] = hn::Zero(d32); });
    for (std::int64_t t = 0; t < tile.tap_count; t += 2) {
      const auto w_low = hn::BitCast(d32, hn::LoadU(d16, w)), w_high = hn::BitCast(d32, hn::LoadU(d16, w + lanes));
      w += 2 * lanes;
      const std::int16_t* first = tile.x + tile.taps[t] + c;
      const std::int16_t* second = tile.x + tile.taps[t + 1] + c;
      unrolled<kPixels>([&](auto p) HWY_ATTR {
        const ShortVector a = hn::LoadU(d16, first + p * tile.pixel_step);
        const ShortVector b = hn::LoadU(d16, second + p * tile.pixel_step);
        low[p] = add_pairs(d32, low[p], hn::BitCast(d32, hn::InterleaveLower(d16, a, b)), w_low);
        high[p] = add_pairs(d32, high[p], hn::BitCast(d32, hn::InterleaveUpper(d16, a, b)), w_high);
      });
    }
    store_depthwise<kPixels>(tile, c, low, high);
  }
}

template <int kPixels>
void depthwise_tiles(Depthwise& rest, std::int64_t& pixels) {
  while (pixels >= kPixels) {
    depthwise_tile<kPixels>(rest);
    rest.x += kPixels * rest.pixel_step;
    rest.acc += kPixels * rest.acc_step;
    rest.y += kPixels * rest.y_step;
    pixels -= kPixels;
  }
}

void multiply_depthwise(const Depthwise& tile, std::int64_t pixels) {
  Depthwise rest = tile;
  depthwise_tiles<4>(rest, pixels);
  depthwise_tiles<2>(rest, pixels);
  depthwise_tiles<1>(rest, pixels);
}

// Two rows of output see four rows of x. Those are interleaved by two, once for all the outputs that see them.
template <int kColumns>
HWY_INLINE void depthwise_rows_tile(const Depthwise& tile, std::int64_t c) {
  const Shorts d16;
  const DepthwiseSums d32;
  const std::size_t lanes = hn::Lanes(d16);
  const std::int16_t* w = tile.w + c * 24;
  Depthwise below = tile;
  below.acc += tile.acc_row_step;
  below.y += tile.y_row_step;
  const std::ptrdiff_t row_step = tile.row_step, pixel_step = tile.pixel_step;
  DepthwiseVector low[2][kColumns], high[2][kColumns];
  unrolled<kColumns>([&](auto p) HWY_ATTR { low[0][p] = high[0][p] = low[1][p] = high[1][p] = hn::Zero(d32); });
  const std::int16_t* x = tile.x + c;
  unrolled<kColumns + 2>([&](auto column) HWY_ATTR {
    const ShortVector first = hn::LoadU(d16, x), second = hn::LoadU(d16, x + row_step);
    const ShortVector third = hn::LoadU(d16, x + 2 * row_step), fourth = hn::LoadU(d16, x + 3 * row_step);
    x += pixel_step;
    const auto top_low = hn::BitCast(d32, hn::InterleaveLower(d16, first, second));
    const auto top_high = hn::BitCast(d32, hn::InterleaveUpper(d16, first, second));
    const auto bottom_low = hn::BitCast(d32, hn::InterleaveLower(d16, third, fourth));
    const auto bottom_high = hn::BitCast(d32, hn::InterleaveUpper(d16, third, fourth));
    unrolled<kColumns>([&](auto p) HWY_ATTR {
      constexpr int kTap = column - p;
      if constexpr (kTap >= 0 && kTap < 3) {
        const auto weight = [&](int n) HWY_ATTR {
          return hn::BitCast(d32, hn::LoadU(d16, w + static_cast<std::size_t>(kTap * 8 + n) * lanes));
        };
        low[0][p] = add_pairs(d32, low[0][p], top_low, weight(0));
        high[0][p] = add_pairs(d32, high[0][p], top_high, weight(1));
        low[0][p] = add_pairs(d32, low[0][p], bottom_low, weight(2));
        high[0][p] = add_pairs(d32, high[0][p], bottom_high, weight(3));
        low[1][p] = add_pairs(d32, low[1][p], top_low, weight(4));
        high[1][p] = add_pairs(d32, high[1][p], top_high, weight(5));
        low[1][p] = add_pairs(d32, low[1][p], bottom_low, weight(6));
        high[1][p] = add_pairs(d32, high[1][p], bottom_high, weight(7));
      }
    });
  });
  store_depthwise<kColumns>(tile, c, low[0], high[0]);
  store_depthwise<kColumns>(below, c, low[1], high[1]);
}

// Channel by channel, so that the weights of some stay near for all pixels.
void multiply_depthwise_rows(const Depthwise& tile, std::int64_t pixels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Shorts()));
  for (std::int64_t c = 0; c < tile.channels; c += lanes) {
    Depthwise rest = tile;
    for (std::int64_t left = pixels; left > 0; left -= 2) {
      if (left > 1)
        depthwise_rows_tile<2>(rest, c);
      else
        depthwise_rows_tile<1>(rest, c);
      rest.x += 2 * rest.pixel_step;
      rest.acc += 2 * rest.acc_step;
      rest.y += 2 * rest.y_step;
    }
  }
}
#endif

// ---- widening

void widen(const std::uint8_t* x, std::int64_t count, std::int32_t zero_point, bool is_signed, std::int16_t* y) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const hn::Rebind<std::int8_t, decltype(d16)> i8;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d16));
  const auto zero = hn::Set(d16, static_cast<std::int16_t>(zero_point));
  std::int64_t k = 0;
  if (is_signed)
    for (; k + lanes <= count; k += lanes)
      hn::StoreU(hn::Sub(hn::PromoteTo(d16, hn::BitCast(i8, hn::LoadU(d8, x + k))), zero), d16, y + k);
  else
    for (; k + lanes <= count; k += lanes)
      hn::StoreU(hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, x + k)), zero), d16, y + k);
  for (; k < count; ++k)
    y[k] = static_cast<std::int16_t>((is_signed ? static_cast<std::int8_t>(x[k]) : x[k]) - zero_point);
}

void flip(const std::uint8_t* x, std::int64_t count, std::uint8_t* y) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, std::uint8_t{0x80});
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) hn::StoreU(hn::Xor(hn::LoadU(d, x + k), sign), d, y + k);
  for (; k < count; ++k) y[k] = static_cast<std::uint8_t>(x[k] ^ 0x80);
}

Products make_products() {
  return {
    .lanes = static_cast<std::int64_t>(hn::Lanes(Sums())), .pairs = multiply<Pairs>,
#if HWY_TARGET == HWY_AVX3_DL
    .quads = multiply<Quads>,
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    .safe_quads = multiply_safely,
#endif
    .matrices = multiply_matrices, .depthwise_lanes = static_cast<std::int64_t>(hn::Lanes(Shorts())),
    .depthwise = multiply_depthwise,
#if HWY_TARGET != HWY_SCALAR
    .depthwise_rows = multiply_depthwise_rows,
#endif
    .widen = widen, .flip = flip,
  };
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(make_products);

Products products_for_current_target() { return HWY_DYNAMIC_DISPATCH(make_products)(); }

}  // namespace octet::fast
#endif
