// depthwise.cc: sums of products in each channel by itself.
#include <algorithm>

#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/depthwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"
#include "octet/engine/fast/simd/pairs_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

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
  const hn::Rebind<float, DepthwiseSums> floats;
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
        const __m256i halves = packing.pack_halves<Overflow::kGivesLeast>(
            real(low[kFirst], start_low, by_low), real(high[kFirst], start_high, by_high),
            real(low[kSecond], start_low, by_low), real(high[kSecond], start_high, by_high));
        const __m128i lower = _mm256_castsi256_si128(halves), upper = _mm256_extracti128_si256(halves, 1);
        std::uint8_t* const to = tile.y + kFirst * tile.y_step + c;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi64(lower, upper));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + tile.y_step), _mm_unpackhi_epi64(lower, upper));
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
      saturation.store(floats, hn::Mul(hn::ConvertTo(floats, first), hn::LoadU(floats, by)), to);
      saturation.store(floats, hn::Mul(hn::ConvertTo(floats, second), hn::LoadU(floats, by + half)), to + half);
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
  if constexpr (kColumns == 1) {  // two of them are stored together
    Depthwise column = tile;
    column.acc_step = tile.acc_row_step;
    column.y_step = tile.y_row_step;
    store_depthwise<2>(column, c, {low[0][0], low[1][0]}, {high[0][0], high[1][0]});
  } else {
    Depthwise below = tile;
    below.acc += tile.acc_row_step;
    below.y += tile.y_row_step;
    store_depthwise<kColumns>(tile, c, low[0], high[0]);
    store_depthwise<kColumns>(below, c, low[1], high[1]);
  }
}

// Some channels at a time: their weights stay near for all pixels, and what is near of a pixel is used up.
void multiply_depthwise_rows(const Depthwise& tile, std::int64_t pixels) {
  constexpr std::int64_t kNear = 64;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Shorts()));
  for (std::int64_t first = 0; first < tile.channels; first += kNear) {
    const std::int64_t end = std::min(first + kNear, tile.channels);
    Depthwise rest = tile;
    for (std::int64_t left = pixels; left > 0; left -= 2) {
      for (std::int64_t c = first; c < end; c += lanes)
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

void add_depthwise(Products& found) {
  found.depthwise_lanes = static_cast<std::int64_t>(hn::Lanes(Shorts()));
  found.depthwise = multiply_depthwise;
#if HWY_TARGET != HWY_SCALAR
  found.depthwise_rows = multiply_depthwise_rows;
#endif
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
