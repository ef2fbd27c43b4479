// float_results_inl.h: what happens to float results before they are stored, for the sources that Highway compiles once for each
// target.
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "octet/base/fused.h"
#include "octet/engine/fast/simd/float_products.h"
#include "octet/engine/fast/simd/limits_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_REAL_RESULTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_REAL_RESULTS_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_REAL_RESULTS_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_REAL_RESULTS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

// x * w + sum, rounded once.
HWY_INLINE FloatVector multiply_add(FloatVector x, FloatVector w, FloatVector sum) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(x, w, sum);
#else
  const FloatTag d;
  constexpr std::size_t kLanes = hn::MaxLanes(FloatTag());
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
HWY_INLINE FloatVector load_some(const float* from, std::size_t count) {
  const FloatTag d;
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  float lanes[hn::MaxLanes(FloatTag())] = {};
  std::copy_n(from, count, lanes);
  return hn::LoadU(d, lanes);
#endif
}
HWY_INLINE void store_some(FloatVector vector, std::size_t count, float* to) {
  const FloatTag d;
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(vector, hn::FirstN(d, count), d, to);
#else
  float lanes[hn::MaxLanes(FloatTag())];
  hn::StoreU(vector, d, lanes);
  std::copy_n(lanes, count, to);
#endif
}

// All lanes, or the first `count`.
HWY_INLINE FloatVector load(const float* from, std::size_t count) {
  return count >= hn::Lanes(FloatTag()) ? hn::LoadU(FloatTag(), from) : load_some(from, count);
}

struct Sum {
  static HWY_INLINE FloatVector of(FloatVector a, FloatVector b) { return hn::Add(a, b); }
};
struct Difference {
  static HWY_INLINE FloatVector of(FloatVector a, FloatVector b) { return hn::Sub(a, b); }
};
struct Product {
  static HWY_INLINE FloatVector of(FloatVector a, FloatVector b) { return hn::Mul(a, b); }
};
struct Quotient {
  static HWY_INLINE FloatVector of(FloatVector a, FloatVector b) { return hn::Div(a, b); }
};
template <typename Operation>
struct Reversed {
  static HWY_INLINE FloatVector of(FloatVector a, FloatVector b) { return Operation::of(b, a); }
};

// Results of some pixels and some vectors of channels, where they go, and what they meet: places[r] is that of the first channel
// of y's row. The last vector has `last` channels, or more.
struct Results {
  FloatVector* vectors;  // [row][vector]
  std::size_t rows, in_row;
  float* y;
  const std::ptrdiff_t* places;
  std::ptrdiff_t channel;
  std::size_t last;

  std::size_t count(std::size_t v) const { return v + 1 < in_row ? hn::Lanes(FloatTag()) : last; }
  std::ptrdiff_t channel_of(std::size_t v) const {
    return channel + static_cast<std::ptrdiff_t>(v * hn::Lanes(FloatTag()));
  }
};

// The same with numbers of rows and vectors that the compiler knows (else 0), all of them whole, so that results stay in
// registers.
template <int kRows, int kVectors>
struct Whole {
  static constexpr std::size_t rows(const Results& results) { return kRows > 0 ? kRows : results.rows; }
  static constexpr std::size_t in_row(const Results& results) { return kVectors > 0 ? kVectors : results.in_row; }
  static std::size_t count(const Results& results, std::size_t v) {
    return kVectors > 0 ? hn::Lanes(FloatTag()) : results.count(v);
  }
};

template <typename Operation, typename Size>
HWY_INLINE void combine(const Results& results, const FloatStage& stage) {
  const std::size_t in_row = Size::in_row(results);
  for (std::size_t v = 0; v < in_row; ++v) {
    const std::ptrdiff_t c = results.channel_of(v);
    FloatVector operand = hn::Zero(FloatTag());
    if (stage.numbers != nullptr)
      operand =
          stage.one_for_all ? hn::Set(FloatTag(), *stage.numbers) : load(stage.numbers + c, Size::count(results, v));
    for (std::size_t r = 0; r < Size::rows(results); ++r) {
      if (stage.numbers == nullptr) operand = load(stage.other + results.places[r] + c, Size::count(results, v));
      FloatVector& result = results.vectors[r * in_row + v];
      result = Operation::of(result, operand);
    }
  }
}

template <typename Size>
HWY_INLINE void limit(const Results& results, const FloatStage& stage) {
  const FloatVector low = hn::Set(FloatTag(), stage.low), high = hn::Set(FloatTag(), stage.high);
  for (std::size_t k = 0; k < Size::rows(results) * Size::in_row(results); ++k)
    results.vectors[k] = at_most(high, at_least(low, results.vectors[k]));
}

// Through the stages to where they go.
template <typename Size>
HWY_INLINE void finish_as(const Results& results, std::span<const FloatStage> stages) {
  using Operation = FloatStage::Operation;
  for (const FloatStage& stage : stages) {
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
  const FloatTag d;
  const std::size_t in_row = Size::in_row(results);
  for (std::size_t r = 0; r < Size::rows(results); ++r)
    for (std::size_t v = 0; v < in_row; ++v) {
      float* const y = results.y + results.places[r] + results.channel_of(v);
      const FloatVector result = results.vectors[r * in_row + v];
      if (Size::count(results, v) >= hn::Lanes(d))
        hn::StoreU(result, d, y);
      else
        store_some(result, results.count(v), y);
    }
}

HWY_NOINLINE inline void finish_any(const Results& results, std::span<const FloatStage> stages) {
  finish_as<Whole<0, 0>>(results, stages);
}
template <int kRows, int kVectors>
HWY_NOINLINE void finish_whole(const Results& results, std::span<const FloatStage> stages) {
  finish_as<Whole<kRows, kVectors>>(results, stages);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The stages that most layers have, in this order, each of them or not: results go through them without leaving their registers.
struct Finish {
  const float *factors = nullptr, *terms = nullptr;  // of each channel
  const float* other = nullptr;                      // to be added
  float low = -kInfinity, high = kInfinity;
  bool is_all = false;                 // else there are others
  std::span<const FloatStage> stages;  // all of them

  explicit Finish(std::span<const FloatStage> all) : stages(all) {
    using Operation = FloatStage::Operation;
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
HWY_INLINE void finish(FloatVector (&vectors)[kRows][kVectors], const Finish& how, std::int64_t channel,
                       std::int64_t channels, const std::ptrdiff_t* places, float* y) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto last = static_cast<std::size_t>(channels - channel) - (kVectors - 1) * lanes;
  if (!how.is_all || last < lanes) {
    FloatVector copies[kRows][kVectors];  // whose address is taken
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
      const FloatVector operand = hn::LoadU(d, numbers + channel + v * lanes);
      unrolled<kRows>([&](auto r) HWY_ATTR { vectors[r][v] = operation.of(vectors[r][v], operand); });
    });
  };
  if (how.factors != nullptr) with_numbers(how.factors, Product());
  if (how.terms != nullptr) with_numbers(how.terms, Sum());
  if (how.other != nullptr)
    each([&](auto r, auto v, FloatVector& vector)
             HWY_ATTR { vector = hn::Add(vector, hn::LoadU(d, how.other + places[r] + channel + v * lanes)); });
  if (how.low > -kInfinity) {
    const FloatVector low = hn::Set(d, how.low);
    each([&](auto, auto, FloatVector& vector) HWY_ATTR { vector = at_least(low, vector); });
  }
  if (how.high < kInfinity) {
    const FloatVector high = hn::Set(d, how.high);
    each([&](auto, auto, FloatVector& vector) HWY_ATTR { vector = at_most(high, vector); });
  }
  unrolled<kRows>([&](auto r) HWY_ATTR {
    unrolled<kVectors>([&](auto v) HWY_ATTR { hn::StoreU(vectors[r][v], d, y + places[r] + channel + v * lanes); });
  });
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
