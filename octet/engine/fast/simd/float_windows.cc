// float_windows.cc: what windows see of each channel by itself.
#include <algorithm>
#include <limits>

#include "octet/engine/fast/simd/float_products.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/float_windows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/float_results_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

using Kind = FloatWindows::Kind;

template <bool kWhole>
HWY_INLINE FloatVector load_of(const float* from, std::size_t last) {
  if constexpr (kWhole)
    return hn::LoadU(FloatTag(), from);
  else
    return load_some(from, last);
}

template <Kind kKind, int kPixels, int kVectors>
void window_tile(const FloatWindows& windows, const Finish& how, const std::ptrdiff_t* from, const std::ptrdiff_t* to,
                 std::int64_t channel) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto last = static_cast<std::size_t>(windows.channels - channel) - (kVectors - 1) * lanes;
  const float* x[kPixels];
  unrolled<kPixels>([&](auto p) HWY_ATTR { x[p] = windows.x + from[p] + channel; });
  FloatVector running[kPixels][kVectors];
  const auto see = [&](auto whole) HWY_ATTR {
    std::span<const FloatTap> taps = windows.taps;
    const auto at = [&](auto p, auto v, const FloatTap& tap) HWY_ATTR {
      return load_of < decltype(whole)::value || v + 1 < kVectors > (x[p] + tap.x + v * lanes, last);
    };
    unrolled<kPixels>([&](auto p) HWY_ATTR {
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        running[p][v] = hn::Zero(d);
        if constexpr (kKind == Kind::kMaximum)
          running[p][v] = taps.empty() ? hn::Set(d, std::numeric_limits<float>::lowest()) : at(p, v, taps.front());
      });
    });
    for (const FloatTap& tap : taps)
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        FloatVector weights = hn::Zero(d);
        if constexpr (kKind == Kind::kProducts)
          weights =
              load_of < decltype(whole)::value || v + 1 < kVectors > (windows.w + channel + tap.w + v * lanes, last);
        unrolled<kPixels>([&](auto p) HWY_ATTR {
          const FloatVector seen = at(p, v, tap);
          if constexpr (kKind == Kind::kProducts)
            running[p][v] = multiply_add(seen, weights, running[p][v]);
          else if constexpr (kKind == Kind::kMaximum)
            running[p][v] = hn::IfThenElse(hn::Gt(seen, running[p][v]), seen, running[p][v]);
          else
            running[p][v] = hn::Add(running[p][v], seen);
        });
      });
  };
  if (last >= lanes)
    see(std::true_type());
  else
    see(std::false_type());
  FloatVector results[kPixels][kVectors];
  const FloatVector divisor = hn::Set(d, static_cast<float>(windows.divisor));
  unrolled<kPixels>([&](auto p) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      results[p][v] = kKind == Kind::kAverage ? hn::Div(running[p][v], divisor) : running[p][v];
    });
  });
  finish(results, how, channel, windows.channels, to, windows.y);
}

template <Kind kKind, int kPixels>
HWY_INLINE void window_tiles(const FloatWindows& windows, const Finish& how, const std::ptrdiff_t* from,
                             const std::ptrdiff_t* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  std::int64_t channel = 0;
  for (; channel + 2 * lanes <= windows.channels; channel += 2 * lanes)
    window_tile<kKind, kPixels, 2>(windows, how, from, to, channel);
  for (; channel < windows.channels; channel += lanes) window_tile<kKind, kPixels, 1>(windows, how, from, to, channel);
}

template <Kind kKind>
void see_windows(const FloatWindows& windows, const FloatPixels& pixels) {
  const Finish how(windows.stages);
  std::int64_t pixel = 0;
  for (; pixel + 4 <= pixels.count; pixel += 4)
    window_tiles<kKind, 4>(windows, how, pixels.x + pixel, pixels.y + pixel);
  for (; pixel < pixels.count; ++pixel) window_tiles<kKind, 1>(windows, how, pixels.x + pixel, pixels.y + pixel);
}

// Means of `count` channels, at most `lanes`, each by plane_sum (spec/support/lane_sums.h).
HWY_INLINE void find_means(const FloatWindows& windows, const float* x, std::int64_t count, float* means) {
  const std::size_t taps = windows.taps.size(), whole = taps / 4 * 4;
  const auto divisor = static_cast<float>(windows.divisor);
  const FloatTag d;
  if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto at = [&](std::size_t k) HWY_ATTR { return hn::LoadU(d, x + windows.taps[k].x); };
    FloatVector first = hn::Zero(d), second = first, third = first, fourth = first;
    for (std::size_t k = 0; k < whole; k += 4) {
      first = hn::Add(first, at(k));
      second = hn::Add(second, at(k + 1));
      third = hn::Add(third, at(k + 2));
      fourth = hn::Add(fourth, at(k + 3));
    }
    FloatVector sum = hn::Add(hn::Add(first, third), hn::Add(second, fourth));
    for (std::size_t k = whole; k < taps; ++k) sum = hn::Add(sum, at(k));
    return hn::StoreU(hn::Div(sum, hn::Set(d, divisor)), d, means);
  }
  for (std::int64_t c = 0; c < count; ++c) {
    float parts[4] = {};
    for (std::size_t k = 0; k < whole; ++k) parts[k % 4] += x[windows.taps[k].x + c];
    float sum = (parts[0] + parts[2]) + (parts[1] + parts[3]);
    for (std::size_t k = whole; k < taps; ++k) sum += x[windows.taps[k].x + c];
    means[c] = sum / divisor;
  }
}

void see_means(const FloatWindows& windows, const FloatPixels& pixels) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Finish how(windows.stages);
  for (std::int64_t p = 0; p < pixels.count; ++p)
    for (std::int64_t channel = 0; channel < windows.channels; channel += lanes) {
      float means[hn::MaxLanes(FloatTag())] = {};
      find_means(windows, windows.x + pixels.x[p] + channel, std::min(lanes, windows.channels - channel), means);
      FloatVector results[1][1];
      results[0][0] = hn::LoadU(d, means);
      finish(results, how, channel, windows.channels, pixels.y + p, windows.y);
    }
}

void look_through_windows(const FloatWindows& windows, const FloatPixels& pixels) {
  switch (windows.kind) {
    case Kind::kProducts: return see_windows<Kind::kProducts>(windows, pixels);
    case Kind::kMaximum: return see_windows<Kind::kMaximum>(windows, pixels);
    case Kind::kAverage: return see_windows<Kind::kAverage>(windows, pixels);
    case Kind::kMean: return see_means(windows, pixels);
  }
}

void add_windows(FloatProducts& found) { found.windows = look_through_windows; }

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
