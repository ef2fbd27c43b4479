// elements.cc: between bytes and floats, of two operands, and sums of bytes.
#include "octet/engine/fast/simd/elements.h"

#include <algorithm>
#include <type_traits>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/elements.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"
#include "octet/engine/fast/simd/limits_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"
#include "octet/engine/fast/simd/unrolled_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using std::int64_t;

// f(d, k) for vectors of type d that start at element k, until `count` elements are covered exactly: as wide as they can
// be, narrower ones for the rest.
template <typename T, int kLanes = hn::MaxLanes(hn::ScalableTag<T>()), typename F>
HWY_INLINE void in_vectors(int64_t count, F f, int64_t k = 0) {
  const hn::CappedTag<T, kLanes> d;
  for (; k + kLanes <= count; k += kLanes) f(d, k);
  if constexpr (kLanes > 1)
    if (k < count) in_vectors<T, kLanes / 2>(count, f, k);
}

#if HWY_NATIVE_FMA
template <typename D>
HWY_INLINE hn::Vec<D> fused(D, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  return hn::MulAdd(a, b, c);
}
constexpr int kFusedLanes = hn::MaxLanes(hn::ScalableTag<float>());
#else
// As fused_multiply_add in base/fused.h, which says why.
template <typename D>
HWY_INLINE hn::Vec<D> fused(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  const hn::Rebind<double, D> wide;
  const hn::RebindToSigned<decltype(wide)> bits;
  const auto product = hn::Mul(hn::PromoteTo(wide, a), hn::PromoteTo(wide, b)), addend = hn::PromoteTo(wide, c);
  const auto sum = hn::Add(product, addend), rest = hn::Sub(sum, product);
  const auto lost = hn::Add(hn::Sub(product, hn::Sub(sum, rest)), hn::Sub(addend, rest));
  const auto zero = hn::Zero(wide);
  const auto one = hn::Set(bits, 1), none = hn::Zero(bits);
  const auto lost_above = hn::VecFromMask(bits, hn::RebindMask(bits, hn::Gt(lost, zero)));
  const auto lost_below = hn::VecFromMask(bits, hn::RebindMask(bits, hn::Lt(lost, zero)));
  const auto is_above = hn::VecFromMask(bits, hn::RebindMask(bits, hn::Gt(sum, zero)));
  const auto sum_bits = hn::BitCast(bits, sum);
  const auto is_even = hn::VecFromMask(bits, hn::Eq(hn::And(sum_bits, one), none));
  const auto changes = hn::And(hn::Or(lost_above, lost_below), is_even);
  const auto is_down = hn::Xor(lost_above, is_above);  // all bits: -1, else 0
  const auto step = hn::Or(is_down, one);
  return hn::DemoteTo(d, hn::BitCast(wide, hn::Add(sum_bits, hn::And(step, changes))));
}
constexpr int kFusedLanes = std::max(hn::MaxLanes(hn::ScalableTag<float>()) / 2, std::size_t{1});
#endif

// ---- between bytes and floats

template <typename Byte, typename D>
HWY_INLINE auto load_integers(D, const std::uint8_t* x) {
  const hn::Rebind<Byte, D> bytes;
  return hn::PromoteTo(hn::Rebind<std::int32_t, D>(), hn::LoadU(bytes, reinterpret_cast<const Byte*>(x)));
}

template <typename Byte, typename D>
HWY_INLINE hn::Vec<D> load_floats(D d, const std::uint8_t* x) {
  return hn::ConvertTo(d, load_integers<Byte>(d, x));
}

// y[k] = the byte of real(d, k), a vector of floats that starts at element k.
template <Overflow kOverflow, int kLanes = hn::MaxLanes(hn::ScalableTag<float>()), typename Real>
HWY_INLINE void store_floats(int64_t count, Real real, Saturation saturation, std::uint8_t* y) {
  int64_t k = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::CappedTag<float, 8> d;
  const Packing packing(saturation);
  for (; k + 32 <= count; k += 32) {
    const __m256i bytes =
        packing.pack<kOverflow>(real(d, k).raw, real(d, k + 8).raw, real(d, k + 16).raw, real(d, k + 24).raw);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + k), bytes);
  }
#endif
  in_vectors<float, kLanes>(
      count,
      [&](auto d, int64_t at) HWY_ATTR {
        if constexpr (kOverflow == Overflow::kSaturates)
          saturation.store(d, real(d, at), y + at);
        else
          saturation.convert_and_store(d, real(d, at), y + at);
      },
      k);
}

void quantize(const float* x, int64_t count, Quantization q, Bounds bounds, std::uint8_t* y) {
  const auto quotient = [=](auto d, int64_t k) HWY_ATTR { return hn::Div(hn::LoadU(d, x + k), hn::Set(d, q.scale)); };
  store_floats<Overflow::kSaturates>(count, quotient, {bounds, q.zero_point}, y);
}

template <typename Byte, typename D>
HWY_INLINE hn::Vec<D> load_floats(D d, const std::uint8_t* x, Quantization q) {
  const auto zero_point = hn::Set(d, static_cast<float>(q.zero_point));
  return hn::Mul(hn::Sub(load_floats<Byte>(d, x), zero_point), hn::Set(d, q.scale));  // the difference is exact
}

template <typename Byte>
void dequantize_bytes(const std::uint8_t* x, int64_t count, Quantization q, float* y) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR { hn::StoreU(load_floats<Byte>(d, x + k, q), d, y + k); });
}
void dequantize(const std::uint8_t* x, int64_t count, Quantization q, bool is_signed, float* y) {
  (is_signed ? dequantize_bytes<std::int8_t> : dequantize_bytes<std::uint8_t>)(x, count, q, y);
}

void range(const float* x, int64_t count, float* least, float* greatest) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Several side by side, so that none waits for itself. Beside NaN, what was found stays.
  constexpr int kTogether = 4;
  hn::Vec<decltype(d)> low[kTogether], high[kTogether];
  for (int i = 0; i < kTogether; ++i) low[i] = high[i] = hn::Zero(d);
  const auto take = [&](int i, hn::Vec<decltype(d)> v) HWY_ATTR {
    low[i] = at_most(v, low[i]);
    high[i] = at_least(v, high[i]);
  };
  int64_t k = 0;
  for (; k + kTogether * lanes <= count; k += kTogether * lanes)
    unrolled<kTogether>([&](auto i) HWY_ATTR { take(i, hn::LoadU(d, x + k + i * lanes)); });
  for (; k + lanes <= count; k += lanes) take(0, hn::LoadU(d, x + k));
  for (int i = 1; i < kTogether; ++i) {
    low[0] = hn::Min(low[0], low[i]);
    high[0] = hn::Max(high[0], high[i]);
  }
  *least = hn::GetLane(hn::MinOfLanes(d, low[0]));
  *greatest = hn::GetLane(hn::MaxOfLanes(d, high[0]));
  for (; k < count; ++k) {
    *least = std::min(*least, x[k]);
    *greatest = std::max(*greatest, x[k]);
  }
}

template <typename D>
HWY_INLINE hn::Vec<D> scaled(D d, const std::int32_t* sums, const float* multipliers) {
  return hn::Mul(hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<D>(), sums)), hn::LoadU(d, multipliers));
}

void requantize(const SumMatrix& sums, const float* multipliers, std::int32_t zero_point, Bounds bounds,
                std::uint8_t* y, int64_t y_step) {
  constexpr int64_t kTogether = 32;
  const auto [from, step, rows, columns] = sums;
  const Saturation saturation = {bounds, zero_point};
  const auto run = [=](const std::int32_t* first, const float* by, int64_t count, std::uint8_t* to) HWY_ATTR {
    const auto real = [=](auto d, int64_t k) HWY_ATTR { return scaled(d, first + k, by + k); };
    store_floats<Overflow::kSaturates>(count, real, saturation, to);
  };
  // Short rows that follow one another without a gap are taken several at a time.
  int64_t done = 0;
  if (columns > 0 && columns < kTogether && kTogether % columns == 0 && step == columns && y_step == columns) {
    float repeated[kTogether];
    for (int64_t k = 0; k < kTogether; ++k) repeated[k] = multipliers[k % columns];
    for (const int64_t at_once = kTogether / columns; done + at_once <= rows; done += at_once)
      run(from + done * columns, repeated, kTogether, y + done * columns);
  }
  const int64_t whole = columns - columns % kTogether;
  if (whole > 0)
    for (int64_t r = done; r < rows; ++r) run(from + r * step, multipliers, whole, y + r * y_step);
  // The columns that are left: vectors of them, narrow ones too, serve all rows.
  const auto rest = [=, from = from, step = step, rows = rows](auto d, int64_t k) HWY_ATTR {
    for (int64_t r = done; r < rows; ++r)
      saturation.store(d, scaled(d, from + r * step + k, multipliers + k), y + r * y_step + k);
  };
  in_vectors<float>(columns, rest, whole);
}

void to_float_row(const std::int32_t* sums, const float* multipliers, float scale, const float* bias, Limits limits,
                  int64_t count, float* y) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR {
    const auto real = hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<decltype(d)>(), sums + k));
    const auto scaled = hn::Mul(real, hn::Mul(hn::Set(d, scale), hn::LoadU(d, multipliers + k)));
    const auto t = bias == nullptr ? scaled : hn::Add(scaled, hn::LoadU(d, bias + k));
    const auto low = hn::Set(d, limits.low), high = hn::Set(d, limits.high);
    hn::StoreU(at_most(high, at_least(low, t)), d, y + k);
  });
}
void to_float(const SumMatrix& sums, const float* multipliers, float scale, const float* bias, Limits limits, float* y,
              int64_t y_step) {
  for (int64_t r = 0; r < sums.rows; ++r)
    to_float_row(sums.sums + r * sums.step, multipliers, scale, bias, limits, sums.columns, y + r * y_step);
}

// ---- two operands

template <typename Byte>
void add_bytes(const std::uint8_t* a, const std::uint8_t* b, int64_t count, const AddConstants& constants,
               std::uint8_t* y) {
  const auto sum = [=](auto d, int64_t k) HWY_ATTR {
    const auto t = fused(d, load_floats<Byte>(d, b + k), hn::Set(d, constants.ratio_b), hn::Set(d, constants.fixed));
    return fused(d, load_floats<Byte>(d, a + k), hn::Set(d, constants.ratio_a), t);
  };
  store_floats<Overflow::kGivesLeast, kFusedLanes>(count, sum, {constants.bounds}, y);
}
void add(const std::uint8_t* a, const std::uint8_t* b, int64_t count, const AddConstants& constants, std::uint8_t* y) {
  (constants.is_signed ? add_bytes<std::int8_t> : add_bytes<std::uint8_t>)(a, b, count, constants, y);
}

template <typename Byte>
void multiply_bytes(const std::uint8_t* a, const std::uint8_t* b, int64_t count, const MultiplyConstants& constants,
                    std::uint8_t* y) {
  const auto product = [=](auto d, int64_t k) HWY_ATTR {
    const auto difference = [d](const std::uint8_t* x, std::int32_t zero) HWY_ATTR {
      return hn::Sub(load_floats<Byte>(d, x), hn::Set(d, static_cast<float>(zero)));
    };
    const auto whole = hn::Mul(difference(a + k, constants.zero_a), difference(b + k, constants.zero_b));  // exact
    return hn::Add(hn::Mul(whole, hn::Set(d, constants.multiplier)), hn::Set(d, static_cast<float>(constants.zero_y)));
  };
  store_floats<Overflow::kGivesLeast>(count, product, {constants.bounds}, y);
}
void multiply(const std::uint8_t* a, const std::uint8_t* b, int64_t count, const MultiplyConstants& constants,
              std::uint8_t* y) {
  (constants.is_signed ? multiply_bytes<std::int8_t> : multiply_bytes<std::uint8_t>)(a, b, count, constants, y);
}

// ---- bytes

template <typename Byte>
void clamp_bytes(const std::uint8_t* x, int64_t count, Bounds bounds, std::uint8_t* y) {
  in_vectors<Byte>(count, [=](auto d, int64_t k) HWY_ATTR {
    const auto v = hn::LoadU(d, reinterpret_cast<const Byte*>(x + k));
    const auto low = hn::Set(d, static_cast<Byte>(bounds.low)), high = hn::Set(d, static_cast<Byte>(bounds.high));
    hn::StoreU(hn::Min(hn::Max(v, low), high), d, reinterpret_cast<Byte*>(y + k));
  });
}
void clamp(const std::uint8_t* x, int64_t count, Bounds bounds, bool is_signed, std::uint8_t* y) {
  (is_signed ? clamp_bytes<std::int8_t> : clamp_bytes<std::uint8_t>)(x, count, bounds, y);
}

template <typename Byte>
void maximum_of_bytes(const std::uint8_t* x, int64_t count, std::uint8_t* y) {
  in_vectors<Byte>(count, [=](auto d, int64_t k) HWY_ATTR {
    auto* to = reinterpret_cast<Byte*>(y + k);
    hn::StoreU(hn::Max(hn::LoadU(d, reinterpret_cast<const Byte*>(x + k)), hn::LoadU(d, to)), d, to);
  });
}
void maximum(const std::uint8_t* x, int64_t count, bool is_signed, std::uint8_t* y) {
  (is_signed ? maximum_of_bytes<std::int8_t> : maximum_of_bytes<std::uint8_t>)(x, count, y);
}

int64_t sum(const std::uint8_t* x, int64_t count, bool is_signed) {
  // int8 as uint8 that are 128 greater.
  const std::uint8_t flip = is_signed ? 0x80 : 0;
  std::uint64_t total = 0;
  int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> wide;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sums = hn::Zero(wide);
  for (; k + lanes <= count; k += lanes)
    sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, x + k), hn::Set(d, flip))));
  total = hn::GetLane(hn::SumOfLanes(wide, sums));
#endif
  for (; k < count; ++k) total += static_cast<std::uint64_t>(x[k] ^ flip);
  return static_cast<int64_t>(total) - (is_signed ? 128 * count : 0);
}

// sums[k] = start and, pixel by pixel, what load(d, its byte k) gives: four vectors at a time, so that none waits for its
// own addition.
template <typename T, typename Load>
HWY_INLINE void add_up_pixels(const Pixels& x, int64_t count, T start, T* sums, Load load) {
  const hn::ScalableTag<T> wide;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t k = 0;
  for (; k + 4 * lanes <= count; k += 4 * lanes) {
    auto first = hn::Set(wide, start), second = first, third = first, fourth = first;
    for (const int64_t pixel : x.numbers) {
      const std::uint8_t* at = x.image + pixel * x.step + k;
      first = hn::Add(first, load(wide, at));
      second = hn::Add(second, load(wide, at + lanes));
      third = hn::Add(third, load(wide, at + 2 * lanes));
      fourth = hn::Add(fourth, load(wide, at + 3 * lanes));
    }
    hn::StoreU(first, wide, sums + k);
    hn::StoreU(second, wide, sums + k + lanes);
    hn::StoreU(third, wide, sums + k + 2 * lanes);
    hn::StoreU(fourth, wide, sums + k + 3 * lanes);
  }
  const auto rest = [&](auto d, int64_t at) HWY_ATTR {
    auto sum = hn::Set(d, start);
    for (const int64_t pixel : x.numbers) sum = hn::Add(sum, load(d, x.image + pixel * x.step + at));
    hn::StoreU(sum, d, sums + at);
  };
  in_vectors<T>(count, rest, k);
}

template <typename Byte>
void add_up_bytes(const Pixels& x, int64_t count, std::int32_t zero_point, std::int32_t* sums) {
  const auto zeros = static_cast<std::uint32_t>(zero_point) * static_cast<std::uint32_t>(x.numbers.size());
  add_up_pixels(x, count, static_cast<std::int32_t>(-zeros), sums,
                [](auto d, const std::uint8_t* at) HWY_ATTR { return load_integers<Byte>(d, at); });
}
void add_up(const Pixels& x, int64_t count, std::int32_t zero_point, bool is_signed, std::int32_t* sums) {
  (is_signed ? add_up_bytes<std::int8_t> : add_up_bytes<std::uint8_t>)(x, count, zero_point, sums);
}

template <typename Byte>
void add_up_floats_of_bytes(const Pixels& x, int64_t count, Quantization q, float* sums) {
  add_up_pixels(x, count, 0.0F, sums,
                [q](auto d, const std::uint8_t* at) HWY_ATTR { return load_floats<Byte>(d, at, q); });
}
void add_up_floats(const Pixels& x, int64_t count, Quantization q, bool is_signed, float* sums) {
  (is_signed ? add_up_floats_of_bytes<std::int8_t> : add_up_floats_of_bytes<std::uint8_t>)(x, count, q, sums);
}

void average(const float* sums, int64_t count, int64_t pixels, Quantization q, Bounds bounds, std::uint8_t* y) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR {
    const auto mean = hn::Div(hn::LoadU(d, sums + k), hn::Set(d, static_cast<float>(pixels)));
    const auto t = hn::Add(hn::Div(mean, hn::Set(d, q.scale)), hn::Set(d, static_cast<float>(q.zero_point)));
    Saturation{bounds}.convert_and_store(d, t, y + k);
  });
}

Elements make_elements() {
  Elements found{};
  found.quantize = quantize;
  found.dequantize = dequantize;
  found.range = range;
  found.add = add;
  found.multiply = multiply;
  found.clamp = clamp;
  found.maximum = maximum;
  found.sum = sum;
  found.add_up = add_up;
  found.add_up_floats = add_up_floats;
  found.average = average;
  found.requantize = requantize;
  found.to_float = to_float;
  return found;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
