// float_products.cc: sums over channels and taps, and stages alone.
#include "octet/engine/fast/simd/float_products.h"

#include <algorithm>
#include <array>
#include <utility>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/float_products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/float_results_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

// Tiles of kPixels pixels and kBlocks blocks of channels, each of kVectors vectors, one after the other.
template <int kPixels, int kVectors, int kBlocks>
void sum_tiles(const FloatSums& sums, const Finish& how, FloatPixels pixels, std::int64_t channel,
               const float* first_weights) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr int kAll = kBlocks * kVectors;
  const FloatTap* const first = sums.taps.data();
  const FloatTap* const behind = first + sums.taps.size();
  const std::ptrdiff_t x_step = sums.x_step, w_step = sums.w_step, block_step = sums.block_step;
  for (; pixels.count > 0; pixels.count -= kPixels, pixels.x += kPixels, pixels.y += kPixels) {
    FloatVector running[kPixels][kAll];
    const float* x[kPixels];
    const float* w = first_weights;
    unrolled<kPixels>([&](auto p) HWY_ATTR {
      x[p] = sums.x + pixels.x[p];
      unrolled<kAll>([&](auto v) HWY_ATTR { running[p][v] = hn::Zero(d); });
    });
    for (std::int64_t round = sums.rounds; round > 0; --round) {
      for (const FloatTap* tap = first; tap != behind; ++tap) {
        const std::ptrdiff_t at = tap->x;
        const float* weights = w + tap->w;
        FloatVector vectors[kAll];
        unrolled<kAll>([&](auto v) HWY_ATTR {
          vectors[v] = hn::LoadU(d, weights + (v / kVectors) * block_step + (v % kVectors) * lanes);
        });
        unrolled<kPixels>([&](auto p) HWY_ATTR {
          const FloatVector pixel = hn::Set(d, x[p][at]);
          unrolled<kAll>([&](auto v) HWY_ATTR { running[p][v] = multiply_add(pixel, vectors[v], running[p][v]); });
        });
      }
      unrolled<kPixels>([&](auto p) HWY_ATTR { x[p] += x_step; });
      w += w_step;
    }
    finish(running, how, sums.first + channel, sums.first + sums.channels, pixels.y, sums.y);
  }
}

using TilesFunction = void (*)(const FloatSums&, const Finish&, FloatPixels, std::int64_t, const float*);

// By the number of pixels, less 1.
template <int kVectors, int kBlocks, int... i>
constexpr std::array<TilesFunction, sizeof...(i)> tiles_functions(std::integer_sequence<int, i...>) {
  return {sum_tiles<i + 1, kVectors, kBlocks>...};
}

// In tiles of about the same size, of kMost pixels at most: with the vectors of the blocks they fill the registers.
template <int kMost, int kVectors, int kBlocks>
HWY_INLINE void sum_pixels(const FloatSums& sums, const Finish& how, const FloatPixels& pixels, std::int64_t channel,
                           const float* w) {
  static constexpr auto kFunctions = tiles_functions<kVectors, kBlocks>(std::make_integer_sequence<int, kMost>());
  const std::int64_t tiles = (pixels.count + kMost - 1) / kMost, size = pixels.count / std::max<std::int64_t>(tiles, 1);
  const std::int64_t in_larger = (pixels.count - size * tiles) * (size + 1);
  if (in_larger > 0) kFunctions[static_cast<std::size_t>(size)](sums, how, {pixels.x, pixels.y, in_larger}, channel, w);
  if (in_larger < pixels.count)
    kFunctions[static_cast<std::size_t>(size - 1)](
        sums, how, {pixels.x + in_larger, pixels.y + in_larger, pixels.count - in_larger}, channel, w);
}

constexpr int kMostPixels = 6;

void sum_products(const FloatSums& sums, const FloatPixels& pixels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  const std::int64_t pairs = (sums.channels + lanes - 1) / (2 * lanes);  // blocks of two vectors
  const Finish how(sums.stages);
  const float* w = sums.w;
  std::int64_t block = 0;
  const auto next = [&](auto most, auto blocks) HWY_ATTR {
    for (; block + blocks <= pairs; block += blocks, w += blocks * sums.block_step)
      sum_pixels<most, 2, blocks>(sums, how, pixels, block * 2 * lanes, w);
  };
  using One = std::integral_constant<int, 1>;
  // Few pixels: more channels at a time, so that no sum waits for itself.
  if (pixels.count == 1) next(One(), std::integral_constant<int, 4>());
  if (pixels.count <= 3) next(std::integral_constant<int, 3>(), std::integral_constant<int, 2>());
  next(std::integral_constant<int, kMostPixels>(), One());
  if (pairs * 2 * lanes < sums.channels) sum_pixels<kMostPixels, 1, 1>(sums, how, pixels, pairs * 2 * lanes, w);
}

// ---- no sums at all

void apply_to_elements(const float* x, std::int64_t rows, std::int64_t channels, std::span<const FloatStage> stages,
                       float* y) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Finish how(stages);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::ptrdiff_t place = row * channels;
    std::int64_t channel = 0;
    for (; channel + 4 * lanes <= channels; channel += 4 * lanes) {
      FloatVector results[1][4];
      unrolled<4>([&](auto v) HWY_ATTR { results[0][v] = hn::LoadU(d, x + place + channel + v * lanes); });
      finish(results, how, channel, channels, &place, y);
    }
    for (; channel < channels; channel += lanes) {
      FloatVector results[1][1];
      const float* from = x + place + channel;
      results[0][0] = channel + lanes <= channels ? hn::LoadU(d, from)
                                                  : load_some(from, static_cast<std::size_t>(channels - channel));
      finish(results, how, channel, channels, &place, y);
    }
  }
}

FloatProducts make_float_products() {
  return {
      .lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag())), .sums = sum_products, .elements = apply_to_elements};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
