#include "octet/engine/fast/simd/products.h"

#include <array>
#include <utility>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"
#include "octet/engine/fast/simd/pairs_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

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
#elif HWY_TARGET == HWY_AVX2
struct Quads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
    return sum;
  }
};
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
// As numbers, because assemblers want to be told of an architecture that has these instructions, and could not be told the
// old one again. The symbols are the numbers of the registers.
#define OCTET_DOT_PRODUCT(opcode)                                                                        \
  asm(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t" \
      ".equ .Lregister_v\\n, \\n\n\t.endr\n\t"                                                           \
      ".inst " opcode " | (.Lregister_%2 << 16) | (.Lregister_%1 << 5) | .Lregister_%0"                  \
      : "+w"(sum.raw)                                                                                    \
      : "w"(x.raw), "w"(w.raw))
struct Quads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    OCTET_DOT_PRODUCT("0x4e809c00");  // usdot %0.4s, %1.16b, %2.16b
    return sum;
  }
};
struct SignedQuads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    OCTET_DOT_PRODUCT("0x4e809400");  // sdot %0.4s, %1.16b, %2.16b
    return sum;
  }
};
#undef OCTET_DOT_PRODUCT
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

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
void multiply_safely(const Tile& tile, std::int64_t pixels, std::int64_t vectors) {
  constexpr std::make_integer_sequence<int, 4> kPixels;
  static constexpr auto kOne = safe_tile_functions<1>(kPixels), kTwo = safe_tile_functions<2>(kPixels);
  multiply_row(vectors == 2 ? kTwo : kOne, tile, pixels);
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

Products products(Extension extension) {
  Products found{};
  found.lanes = static_cast<std::int64_t>(hn::Lanes(Sums()));
  found.pairs = multiply<Pairs>;
#if HWY_TARGET == HWY_AVX3_DL
  found.quads = multiply<Quads>;
#elif HWY_TARGET == HWY_AVX3
  found.safe_quads = multiply_safely;
#elif HWY_TARGET == HWY_AVX2
  found.safe_quads = multiply_safely;
  if (extension == Extension::kVexVnni) found.quads = multiply<Quads>;
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (extension == Extension::kI8mm) found.quads = multiply<Quads>;
  if (extension == Extension::kDotprod) found.quads = multiply<SignedQuads>, found.quads_are_signed = true;
#endif
  static_cast<void>(extension);
  found.widen = widen;
  found.flip = flip;
  return found;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(products);

Products products_for_current_target(Extension extension) {
  Products found = HWY_DYNAMIC_DISPATCH(products)(extension);
  add_matrices_for_current_target(found);
  add_depthwise_for_current_target(found);
  return found;
}

}  // namespace octet::fast
#endif
