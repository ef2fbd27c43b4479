#include "octet/engine/fast/simd/real_products.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "octet/base/fused.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/real_products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::ScalableTag<float>;
using RealVector = hn::Vec<Reals>;

// x * w + sum, rounded once.
HWY_INLINE RealVector multiply_add(RealVector x, RealVector w, RealVector sum) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(x, w, sum);
#else
  const Reals d;
  constexpr std::size_t kLanes = hn::MaxLanes(Reals());
  float a[kLanes], b[kLanes], c[kLanes];
  hn::StoreU(x, d, a);
  hn::StoreU(w, d, b);
  hn::StoreU(sum, d, c);
  for (std::size_t k = 0; k < kLanes; ++k) c[k] = fused_multiply_add(a[k], b[k], c[k]);
  return hn::LoadU(d, c);
#endif
}

// ---- what happens to the results

// The first `count` lanes, less than all; nothing behind them is touched.
HWY_INLINE RealVector load_some(const float* from, std::size_t count) {
  const Reals d;
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  float lanes[hn::MaxLanes(Reals())] = {};
  std::copy_n(from, count, lanes);
  return hn::LoadU(d, lanes);
#endif
}
HWY_INLINE void store_some(RealVector vector, std::size_t count, float* to) {
  const Reals d;
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(vector, hn::FirstN(d, count), d, to);
#else
  float lanes[hn::MaxLanes(Reals())];
  hn::StoreU(vector, d, lanes);
  std::copy_n(lanes, count, to);
#endif
}

// All lanes, or the first `count`.
HWY_INLINE RealVector load(const float* from, std::size_t count) {
  return count >= hn::Lanes(Reals()) ? hn::LoadU(Reals(), from) : load_some(from, count);
}

struct Sum {
  static HWY_INLINE RealVector of(RealVector a, RealVector b) { return hn::Add(a, b); }
};
struct Difference {
  static HWY_INLINE RealVector of(RealVector a, RealVector b) { return hn::Sub(a, b); }
};
struct Product {
  static HWY_INLINE RealVector of(RealVector a, RealVector b) { return hn::Mul(a, b); }
};
struct Quotient {
  static HWY_INLINE RealVector of(RealVector a, RealVector b) { return hn::Div(a, b); }
};
template <typename Operation>
struct Reversed {
  static HWY_INLINE RealVector of(RealVector a, RealVector b) { return Operation::of(b, a); }
};

// Results of some pixels and some vectors of channels, where they go, and what they meet: places[r] is that of the first channel
// of y's row. The last vector has `last` channels, or more.
struct Results {
  RealVector* vectors;  // [row][vector]
  std::size_t rows, in_row;
  float* y;
  const std::ptrdiff_t* places;
  std::ptrdiff_t channel;
  std::size_t last;

  std::size_t count(std::size_t v) const { return v + 1 < in_row ? hn::Lanes(Reals()) : last; }
  std::ptrdiff_t channel_of(std::size_t v) const {
    return channel + static_cast<std::ptrdiff_t>(v * hn::Lanes(Reals()));
  }
};

// The same with numbers of rows and vectors that the compiler knows (else 0), all of them whole, so that results stay in
// registers.
template <int kRows, int kVectors>
struct Whole {
  static constexpr std::size_t rows(const Results& results) { return kRows > 0 ? kRows : results.rows; }
  static constexpr std::size_t in_row(const Results& results) { return kVectors > 0 ? kVectors : results.in_row; }
  static std::size_t count(const Results& results, std::size_t v) {
    return kVectors > 0 ? hn::Lanes(Reals()) : results.count(v);
  }
};

template <typename Operation, typename Size>
HWY_INLINE void combine(const Results& results, const RealStage& stage) {
  const std::size_t in_row = Size::in_row(results);
  for (std::size_t v = 0; v < in_row; ++v) {
    const std::ptrdiff_t c = results.channel_of(v);
    RealVector operand = hn::Zero(Reals());
    if (stage.numbers != nullptr)
      operand = stage.one_for_all ? hn::Set(Reals(), *stage.numbers) : load(stage.numbers + c, Size::count(results, v));
    for (std::size_t r = 0; r < Size::rows(results); ++r) {
      if (stage.numbers == nullptr) operand = load(stage.other + results.places[r] + c, Size::count(results, v));
      RealVector& result = results.vectors[r * in_row + v];
      result = Operation::of(result, operand);
    }
  }
}

// NaN stays, and so do the two zeros.
#if HWY_TARGET <= HWY_SSE4  // x86: of NaN and of equal ones the second operand stays
HWY_INLINE RealVector at_least(RealVector low, RealVector x) { return hn::Max(low, x); }
HWY_INLINE RealVector at_most(RealVector high, RealVector x) { return hn::Min(high, x); }
#else
HWY_INLINE RealVector at_least(RealVector low, RealVector x) { return hn::IfThenElse(hn::Lt(x, low), low, x); }
HWY_INLINE RealVector at_most(RealVector high, RealVector x) { return hn::IfThenElse(hn::Gt(x, high), high, x); }
#endif

template <typename Size>
HWY_INLINE void limit(const Results& results, const RealStage& stage) {
  const RealVector low = hn::Set(Reals(), stage.low), high = hn::Set(Reals(), stage.high);
  for (std::size_t k = 0; k < Size::rows(results) * Size::in_row(results); ++k)
    results.vectors[k] = at_most(high, at_least(low, results.vectors[k]));
}

// Through the stages to where they go.
template <typename Size>
HWY_INLINE void finish_as(const Results& results, std::span<const RealStage> stages) {
  using Operation = RealStage::Operation;
  for (const RealStage& stage : stages) {
    switch (stage.operation) {
      case Operation::kAdd: combine<Sum, Size>(results, stage); break;
      case Operation::kSubtract: combine<Difference, Size>(results, stage); break;
      case Operation::kSubtractFrom: combine<Reversed<Difference>, Size>(results, stage); break;
      case Operation::kMultiply: combine<Product, Size>(results, stage); break;
      case Operation::kDivide: combine<Quotient, Size>(results, stage); break;
      case Operation::kDivideInto: combine<Reversed<Quotient>, Size>(results, stage); break;
      case Operation::kLimit: limit<Size>(results, stage); break;
    }
  }
  const Reals d;
  const std::size_t in_row = Size::in_row(results);
  for (std::size_t r = 0; r < Size::rows(results); ++r)
    for (std::size_t v = 0; v < in_row; ++v) {
      float* const y = results.y + results.places[r] + results.channel_of(v);
      const RealVector result = results.vectors[r * in_row + v];
      if (Size::count(results, v) >= hn::Lanes(d))
        hn::StoreU(result, d, y);
      else
        store_some(result, results.count(v), y);
    }
}

HWY_NOINLINE void finish_any(const Results& results, std::span<const RealStage> stages) {
  finish_as<Whole<0, 0>>(results, stages);
}
template <int kRows, int kVectors>
HWY_NOINLINE void finish_whole(const Results& results, std::span<const RealStage> stages) {
  finish_as<Whole<kRows, kVectors>>(results, stages);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The stages that most layers have, in this order, each of them or not: results go through them without leaving their registers.
struct Finish {
  const float *factors = nullptr, *terms = nullptr;  // of each channel
  const float* other = nullptr;                      // to be added
  float low = -kInfinity, high = kInfinity;
  bool is_all = false;                // else there are others
  std::span<const RealStage> stages;  // all of them

  explicit Finish(std::span<const RealStage> all) : stages(all) {
    using Operation = RealStage::Operation;
    auto next = all.begin();
    const auto takes = [&](Operation operation, bool other_value) {
      return next != all.end() && next->operation == operation && !next->one_for_all &&
             (next->other != nullptr) == other_value;
    };
    if (takes(Operation::kMultiply, false)) factors = next++->numbers;
    if (takes(Operation::kAdd, false)) terms = next++->numbers;
    if (takes(Operation::kAdd, true)) other = next++->other;
    if (takes(Operation::kLimit, false)) {
      low = next->low;
      high = next++->high;
    }
    is_all = next == all.end();
  }
};

template <int kRows, int kVectors>
HWY_INLINE void finish(RealVector (&vectors)[kRows][kVectors], const Finish& how, std::int64_t channel,
                       std::int64_t channels, const std::ptrdiff_t* places, float* y) {
  const Reals d;
  const std::size_t lanes = hn::Lanes(d);
  const auto last = static_cast<std::size_t>(channels - channel) - (kVectors - 1) * lanes;
  if (!how.is_all || last < lanes) {
    RealVector copies[kRows][kVectors];  // whose address is taken
    unrolled<kRows>([&](auto r)
                        HWY_ATTR { unrolled<kVectors>([&](auto v) HWY_ATTR { copies[r][v] = vectors[r][v]; }); });
    const Results results = {&copies[0][0], kRows, kVectors, y, places, channel, last};
    // Sizes that take the time have stages of their own; with those for each of them it would take minutes to compile.
    if constexpr (kRows * kVectors == 12 || (kRows == 1 && kVectors == 4))
      if (last >= lanes) return finish_whole<kRows, kVectors>(results, how.stages);
    return finish_any(results, how.stages);
  }
  const auto each = [&](auto f) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR { unrolled<kRows>([&](auto r) HWY_ATTR { f(r, v, vectors[r][v]); }); });
  };
  const auto with_numbers = [&](const float* numbers, auto operation) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      const RealVector operand = hn::LoadU(d, numbers + channel + v * lanes);
      unrolled<kRows>([&](auto r) HWY_ATTR { vectors[r][v] = operation.of(vectors[r][v], operand); });
    });
  };
  if (how.factors != nullptr) with_numbers(how.factors, Product());
  if (how.terms != nullptr) with_numbers(how.terms, Sum());
  if (how.other != nullptr)
    each([&](auto r, auto v, RealVector& vector)
             HWY_ATTR { vector = hn::Add(vector, hn::LoadU(d, how.other + places[r] + channel + v * lanes)); });
  if (how.low > -kInfinity) {
    const RealVector low = hn::Set(d, how.low);
    each([&](auto, auto, RealVector& vector) HWY_ATTR { vector = at_least(low, vector); });
  }
  if (how.high < kInfinity) {
    const RealVector high = hn::Set(d, how.high);
    each([&](auto, auto, RealVector& vector) HWY_ATTR { vector = at_most(high, vector); });
  }
  unrolled<kRows>([&](auto r) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(vectors[r][v], d, y + places[r] + channel + v * lanes); });
  });
}

// ---- sums over channels and taps

// Tiles of kPixels pixels and kBlocks blocks of channels, each of kVectors vectors, one after the other.
template <int kPixels, int kVectors, int kBlocks>
void sum_tiles(const RealSums& sums, const Finish& how, RealPixels pixels, std::int64_t channel,
               const float* first_weights) {
  const Reals d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr int kAll = kBlocks * kVectors;
  const RealTap* const first = sums.taps.data();
  const RealTap* const behind = first + sums.taps.size();
  const std::ptrdiff_t x_step = sums.x_step, w_step = sums.w_step, block_step = sums.block_step;
  for (; pixels.count > 0; pixels.count -= kPixels, pixels.x += kPixels, pixels.y += kPixels) {
    RealVector running[kPixels][kAll];
    const float* x[kPixels];
    const float* w = first_weights;
    unrolled<kPixels>([&](auto p) HWY_ATTR {
      x[p] = sums.x + pixels.x[p];
      unrolled<kAll>([&](auto v) HWY_ATTR { running[p][v] = hn::Zero(d); });
    });
    for (std::int64_t round = sums.rounds; round > 0; --round) {
      for (const RealTap* tap = first; tap != behind; ++tap) {
        const std::ptrdiff_t at = tap->x;
        const float* weights = w + tap->w;
        RealVector vectors[kAll];
        unrolled<kAll>([&](auto v) HWY_ATTR {
          vectors[v] = hn::LoadU(d, weights + (v / kVectors) * block_step + (v % kVectors) * lanes);
        });
        unrolled<kPixels>([&](auto p) HWY_ATTR {
          const RealVector pixel = hn::Set(d, x[p][at]);
          unrolled<kAll>([&](auto v) HWY_ATTR { running[p][v] = multiply_add(pixel, vectors[v], running[p][v]); });
        });
      }
      unrolled<kPixels>([&](auto p) HWY_ATTR { x[p] += x_step; });
      w += w_step;
    }
    finish(running, how, sums.first + channel, sums.first + sums.channels, pixels.y, sums.y);
  }
}

using TilesFunction = void (*)(const RealSums&, const Finish&, RealPixels, std::int64_t, const float*);

// By the number of pixels, less 1.
template <int kVectors, int kBlocks, int... i>
constexpr std::array<TilesFunction, sizeof...(i)> tiles_functions(std::integer_sequence<int, i...>) {
  return {sum_tiles<i + 1, kVectors, kBlocks>...};
}

// In tiles of about the same size, of kMost pixels at most: with the vectors of the blocks they fill the registers.
template <int kMost, int kVectors, int kBlocks>
HWY_INLINE void sum_pixels(const RealSums& sums, const Finish& how, const RealPixels& pixels, std::int64_t channel,
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

void sum_products(const RealSums& sums, const RealPixels& pixels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Reals()));
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

// ---- each channel by itself

using Kind = RealWindows::Kind;

template <bool kWhole>
HWY_INLINE RealVector load_of(const float* from, std::size_t last) {
  if constexpr (kWhole)
    return hn::LoadU(Reals(), from);
  else
    return load_some(from, last);
}

template <Kind kKind, int kPixels, int kVectors>
void window_tile(const RealWindows& windows, const Finish& how, const std::ptrdiff_t* from, const std::ptrdiff_t* to,
                 std::int64_t channel) {
  const Reals d;
  const std::size_t lanes = hn::Lanes(d);
  const auto last = static_cast<std::size_t>(windows.channels - channel) - (kVectors - 1) * lanes;
  const float* x[kPixels];
  unrolled<kPixels>([&](auto p) HWY_ATTR { x[p] = windows.x + from[p] + channel; });
  RealVector running[kPixels][kVectors];
  const auto see = [&](auto whole) HWY_ATTR {
    std::span<const RealTap> taps = windows.taps;
    const auto at = [&](auto p, auto v, const RealTap& tap) HWY_ATTR {
      return load_of < decltype(whole)::value || v + 1 < kVectors > (x[p] + tap.x + v * lanes, last);
    };
    unrolled<kPixels>([&](auto p) HWY_ATTR {
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        running[p][v] = hn::Zero(d);
        if constexpr (kKind == Kind::kMaximum)
          running[p][v] = taps.empty() ? hn::Set(d, std::numeric_limits<float>::lowest()) : at(p, v, taps.front());
      });
    });
    for (const RealTap& tap : taps)
      unrolled<kVectors>([&](auto v) HWY_ATTR {
        RealVector weights = hn::Zero(d);
        if constexpr (kKind == Kind::kProducts)
          weights =
              load_of < decltype(whole)::value || v + 1 < kVectors > (windows.w + channel + tap.w + v * lanes, last);
        unrolled<kPixels>([&](auto p) HWY_ATTR {
          const RealVector seen = at(p, v, tap);
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
  RealVector results[kPixels][kVectors];
  const RealVector divisor = hn::Set(d, static_cast<float>(windows.divisor));
  unrolled<kPixels>([&](auto p) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR {
      results[p][v] = kKind == Kind::kAverage ? hn::Div(running[p][v], divisor) : running[p][v];
    });
  });
  finish(results, how, channel, windows.channels, to, windows.y);
}

template <Kind kKind, int kPixels>
HWY_INLINE void window_tiles(const RealWindows& windows, const Finish& how, const std::ptrdiff_t* from,
                             const std::ptrdiff_t* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Reals()));
  std::int64_t channel = 0;
  for (; channel + 2 * lanes <= windows.channels; channel += 2 * lanes)
    window_tile<kKind, kPixels, 2>(windows, how, from, to, channel);
  for (; channel < windows.channels; channel += lanes) window_tile<kKind, kPixels, 1>(windows, how, from, to, channel);
}

template <Kind kKind>
void see_windows(const RealWindows& windows, const RealPixels& pixels) {
  const Finish how(windows.stages);
  std::int64_t pixel = 0;
  for (; pixel + 4 <= pixels.count; pixel += 4)
    window_tiles<kKind, 4>(windows, how, pixels.x + pixel, pixels.y + pixel);
  for (; pixel < pixels.count; ++pixel) window_tiles<kKind, 1>(windows, how, pixels.x + pixel, pixels.y + pixel);
}

// Means of `count` channels, at most `lanes`, each by plane_sum (spec/support/lane_sums.h).
HWY_INLINE void find_means(const RealWindows& windows, const float* x, std::int64_t count, float* means) {
  const std::size_t taps = windows.taps.size(), whole = taps / 4 * 4;
  const auto divisor = static_cast<float>(windows.divisor);
  const Reals d;
  if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto at = [&](std::size_t k) HWY_ATTR { return hn::LoadU(d, x + windows.taps[k].x); };
    RealVector first = hn::Zero(d), second = first, third = first, fourth = first;
    for (std::size_t k = 0; k < whole; k += 4) {
      first = hn::Add(first, at(k));
      second = hn::Add(second, at(k + 1));
      third = hn::Add(third, at(k + 2));
      fourth = hn::Add(fourth, at(k + 3));
    }
    RealVector sum = hn::Add(hn::Add(first, third), hn::Add(second, fourth));
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

void see_means(const RealWindows& windows, const RealPixels& pixels) {
  const Reals d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Finish how(windows.stages);
  for (std::int64_t p = 0; p < pixels.count; ++p)
    for (std::int64_t channel = 0; channel < windows.channels; channel += lanes) {
      float means[hn::MaxLanes(Reals())] = {};
      find_means(windows, windows.x + pixels.x[p] + channel, std::min(lanes, windows.channels - channel), means);
      RealVector results[1][1];
      results[0][0] = hn::LoadU(d, means);
      finish(results, how, channel, windows.channels, pixels.y + p, windows.y);
    }
}

void look_through_windows(const RealWindows& windows, const RealPixels& pixels) {
  switch (windows.kind) {
    case Kind::kProducts: return see_windows<Kind::kProducts>(windows, pixels);
    case Kind::kMaximum: return see_windows<Kind::kMaximum>(windows, pixels);
    case Kind::kAverage: return see_windows<Kind::kAverage>(windows, pixels);
    case Kind::kMean: return see_means(windows, pixels);
  }
}

// ---- no sums at all

void apply_to_elements(const float* x, std::int64_t rows, std::int64_t channels, std::span<const RealStage> stages,
                       float* y) {
  const Reals d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Finish how(stages);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::ptrdiff_t place = row * channels;
    std::int64_t channel = 0;
    for (; channel + 4 * lanes <= channels; channel += 4 * lanes) {
      RealVector results[1][4];
      unrolled<4>([&](auto v) HWY_ATTR { results[0][v] = hn::LoadU(d, x + place + channel + v * lanes); });
      finish(results, how, channel, channels, &place, y);
    }
    for (; channel < channels; channel += lanes) {
      RealVector results[1][1];
      const float* from = x + place + channel;
      results[0][0] = channel + lanes <= channels ? hn::LoadU(d, from)
                                                  : load_some(from, static_cast<std::size_t>(channels - channel));
      finish(results, how, channel, channels, &place, y);
    }
  }
}

RealProducts make_real_products() {
  return {.lanes = static_cast<std::int64_t>(hn::Lanes(Reals())),
          .sums = sum_products,
          .windows = look_through_windows,
          .elements = apply_to_elements};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(make_real_products);

RealProducts real_products_for_current_target() { return HWY_DYNAMIC_DISPATCH(make_real_products)(); }

}  // namespace octet::fast
#endif
