#include "octet/engine/fast/simd/elements.h"

#include <algorithm>
#include <type_traits>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/elements.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes-inl.h"

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
HWY_INLINE void store_reals(int64_t count, Real real, Saturation saturation, std::uint8_t* y) {
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
  store_reals<Overflow::kSaturates>(count, quotient, {bounds, q.zero_point}, y);
}

template <typename Byte, typename D>
HWY_INLINE hn::Vec<D> load_reals(D d, const std::uint8_t* x, Quantization q) {
  const auto zero_point = hn::Set(d, static_cast<float>(q.zero_point));
  return hn::Mul(hn::Sub(load_floats<Byte>(d, x), zero_point), hn::Set(d, q.scale));  // the difference is exact
}

template <typename Byte>
void dequantize_bytes(const std::uint8_t* x, int64_t count, Quantization q, float* y) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR { hn::StoreU(load_reals<Byte>(d, x + k, q), d, y + k); });
}
void dequantize(const std::uint8_t* x, int64_t count, Quantization q, bool is_signed, float* y) {
  (is_signed ? dequantize_bytes<std::int8_t> : dequantize_bytes<std::uint8_t>)(x, count, q, y);
}

void range(const float* x, int64_t count, float* least, float* greatest) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Comparisons, because Min and Max may return a signaling NaN.
  auto low = hn::Zero(d), high = hn::Zero(d);
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto v = hn::LoadU(d, x + k);
    low = hn::IfThenElse(hn::Lt(v, low), v, low);
    high = hn::IfThenElse(hn::Gt(v, high), v, high);
  }
  *least = hn::GetLane(hn::MinOfLanes(d, low));
  *greatest = hn::GetLane(hn::MaxOfLanes(d, high));
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
    store_reals<Overflow::kSaturates>(count, real, saturation, to);
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
    auto t = bias == nullptr ? scaled : hn::Add(scaled, hn::LoadU(d, bias + k));
    const auto low = hn::Set(d, limits.low), high = hn::Set(d, limits.high);
    t = hn::IfThenElse(hn::Lt(t, low), low, t);
    hn::StoreU(hn::IfThenElse(hn::Gt(t, high), high, t), d, y + k);
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
  store_reals<Overflow::kGivesLeast, kFusedLanes>(count, sum, {constants.bounds}, y);
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
  store_reals<Overflow::kGivesLeast>(count, product, {constants.bounds}, y);
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

template <typename Byte>
void add_up_bytes(const std::uint8_t* x, int64_t count, std::int32_t zero_point, std::int32_t* sums) {
  in_vectors<std::int32_t>(count, [=](auto d, int64_t k) HWY_ATTR {
    const auto difference = hn::Sub(load_integers<Byte>(d, x + k), hn::Set(d, zero_point));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + k), difference), d, sums + k);
  });
}
void add_up(const std::uint8_t* x, int64_t count, std::int32_t zero_point, bool is_signed, std::int32_t* sums) {
  (is_signed ? add_up_bytes<std::int8_t> : add_up_bytes<std::uint8_t>)(x, count, zero_point, sums);
}

template <typename Byte>
void add_up_reals_of_bytes(const std::uint8_t* x, int64_t count, Quantization q, float* sums) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + k), load_reals<Byte>(d, x + k, q)), d, sums + k);
  });
}
void add_up_reals(const std::uint8_t* x, int64_t count, Quantization q, bool is_signed, float* sums) {
  (is_signed ? add_up_reals_of_bytes<std::int8_t> : add_up_reals_of_bytes<std::uint8_t>)(x, count, q, sums);
}

void average(const float* sums, int64_t count, int64_t pixels, Quantization q, Bounds bounds, std::uint8_t* y) {
  in_vectors<float>(count, [=](auto d, int64_t k) HWY_ATTR {
    const auto mean = hn::Div(hn::LoadU(d, sums + k), hn::Set(d, static_cast<float>(pixels)));
    const auto t = hn::Add(hn::Div(mean, hn::Set(d, q.scale)), hn::Set(d, static_cast<float>(q.zero_point)));
    Saturation{bounds}.convert_and_store(d, t, y + k);
  });
}

// ---- tables

#if HWY_TARGET == HWY_AVX3_DL
// The table is four registers; an instruction reads from two of them.
void look_up(const LookupTable& table, const std::uint8_t* x, int64_t count, std::uint8_t* y) {
  __m512i quarters[4];
  for (int i = 0; i < 4; ++i) quarters[i] = _mm512_loadu_si512(table.data() + 64 * i);
  for (int64_t k = 0; k < count; k += 64) {
    const __mmask64 present = count - k >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - k)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(present, x + k);
    const __m512i lower = _mm512_permutex2var_epi8(quarters[0], bytes, quarters[1]);
    const __m512i upper = _mm512_permutex2var_epi8(quarters[2], bytes, quarters[3]);
    _mm512_mask_storeu_epi8(y + k, present, _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), lower, upper));
  }
}
#else
void look_up(const LookupTable& table, const std::uint8_t* x, int64_t count, std::uint8_t* y) {
  int64_t k = 0;
#if HWY_TARGET == HWY_NEON
  const auto quarter = [&](int i) HWY_ATTR { return vld1q_u8_x4(table.data() + 64 * i); };
  const uint8x16x4_t quarters[4] = {quarter(0), quarter(1), quarter(2), quarter(3)};
  for (; k + 16 <= count; k += 16) {
    const uint8x16_t bytes = vld1q_u8(x + k);
    uint8x16_t found = vqtbl4q_u8(quarters[0], bytes);
    found = vqtbx4q_u8(found, quarters[1], vsubq_u8(bytes, vdupq_n_u8(64)));
    found = vqtbx4q_u8(found, quarters[2], vsubq_u8(bytes, vdupq_n_u8(128)));
    found = vqtbx4q_u8(found, quarters[3], vsubq_u8(bytes, vdupq_n_u8(192)));
    vst1q_u8(y + k, found);
  }
#elif HWY_CAP_GE256
  // A look-up in 16 entries takes the low four bits, and gives 0 where the index is negative. Subtracting 16 again and
  // again makes one index after the other negative, for good; so the tables hold what changes from one row of 16 entries
  // to the next. Bytes from 128 on are negative to begin with, and have tables of their own.
  const hn::ScalableTag<std::uint8_t> d;
  const hn::RebindToSigned<decltype(d)> indices;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> rows[16];
  for (int i = 15; i >= 0; --i) {
    rows[i] = hn::LoadDup128(d, table.data() + 16 * i);
    if (i % 8 != 0) rows[i] = hn::Xor(rows[i], hn::LoadDup128(d, table.data() + 16 * (i - 1)));
  }
  const auto sixteen = hn::Set(indices, 16);
  for (; k + lanes <= count; k += lanes) {
    auto lower = hn::BitCast(indices, hn::LoadU(d, x + k));
    auto upper = hn::Xor(lower, hn::Set(indices, -128));
    auto found = hn::Or(hn::TableLookupBytesOr0(rows[0], hn::BitCast(d, lower)),
                        hn::TableLookupBytesOr0(rows[8], hn::BitCast(d, upper)));
    for (int i = 1; i < 8; ++i) {
      lower = hn::SaturatedSub(lower, sixteen);
      upper = hn::SaturatedSub(upper, sixteen);
      found = hn::Xor(found, hn::Xor(hn::TableLookupBytesOr0(rows[i], hn::BitCast(d, lower)),
                                     hn::TableLookupBytesOr0(rows[i + 8], hn::BitCast(d, upper))));
    }
    hn::StoreU(found, d, y + k);
  }
#endif
  for (; k < count; ++k) y[k] = table[x[k]];
}
#endif

// ---- transposes

#if HWY_TARGET != HWY_SCALAR
// Of kSize rows and columns. Interleaving the first half of the rows with the second, as often as it takes.
template <int kSize, typename T>
HWY_INLINE void transpose_tile(const T* x, int64_t x_step, T* y, int64_t y_step) {
  const hn::CappedTag<T, kSize> d;
  hn::Vec<decltype(d)> rows[kSize], next[kSize];
  for (int r = 0; r < kSize; ++r) rows[r] = hn::LoadU(d, x + r * x_step);
  for (int round = 1; round < kSize; round *= 2) {
    for (int r = 0; r < kSize / 2; ++r) {
      next[2 * r] = hn::InterleaveLower(d, rows[r], rows[r + kSize / 2]);
      next[2 * r + 1] = hn::InterleaveUpper(d, rows[r], rows[r + kSize / 2]);
    }
    for (int r = 0; r < kSize; ++r) rows[r] = next[r];
  }
  for (int r = 0; r < kSize; ++r) hn::StoreU(rows[r], d, y + r * y_step);
}

// Three rows become pixels of three channels, or the other way round; returns how many of them, from the first.
template <typename T>
HWY_INLINE int64_t interleave3(const T* x, int64_t x_step, int64_t count, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes)
    hn::StoreInterleaved3(hn::LoadU(d, x + k), hn::LoadU(d, x + x_step + k), hn::LoadU(d, x + 2 * x_step + k), d,
                          y + 3 * k);
  return k;
}
template <typename T>
HWY_INLINE int64_t separate3(const T* x, int64_t count, T* y, int64_t y_step) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    hn::Vec<decltype(d)> v0, v1, v2;
    hn::LoadInterleaved3(d, x + 3 * k, v0, v1, v2);
    hn::StoreU(v0, d, y + k);
    hn::StoreU(v1, d, y + y_step + k);
    hn::StoreU(v2, d, y + 2 * y_step + k);
  }
  return k;
}
#endif

// By tiles of kTile, then smaller ones at the edges.
template <int kTile, typename T>
HWY_INLINE void transpose_tiles(const T* x, int64_t x_step, int64_t rows, int64_t columns, T* y, int64_t y_step) {
  if constexpr (kTile == 1) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r) y[c * y_step + r] = x[r * x_step + c];
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    const int64_t whole_rows = rows / kTile * kTile, whole_columns = columns / kTile * kTile;
    for (int64_t c = 0; c < whole_columns; c += kTile)
      for (int64_t r = 0; r < whole_rows; r += kTile)
        transpose_tile<kTile>(x + r * x_step + c, x_step, y + c * y_step + r, y_step);
    constexpr int kNext = kTile == 16 ? 4 : 1;
    if (whole_columns < columns)
      transpose_tiles<kNext>(x + whole_columns, x_step, whole_rows, columns - whole_columns, y + whole_columns * y_step,
                             y_step);
    if (whole_rows < rows)
      transpose_tiles<kNext>(x + whole_rows * x_step, x_step, rows - whole_rows, columns, y + whole_rows, y_step);
  }
#endif
}

template <typename T>
HWY_INLINE void transpose(const T* x, int64_t x_step, int64_t rows, int64_t columns, T* y, int64_t y_step) {
#if HWY_TARGET == HWY_SCALAR
  transpose_tiles<1>(x, x_step, rows, columns, y, y_step);
#else
  int64_t done = 0;  // columns, or rows
  if (rows == 3 && y_step == 3) {
    done = interleave3(x, x_step, columns, y);
    x += done, y += 3 * done, columns -= done;
  } else if (columns == 3 && x_step == 3) {
    done = separate3(x, rows, y, y_step);
    x += 3 * done, y += done, rows -= done;
  }
  transpose_tiles<16 / sizeof(T)>(x, x_step, rows, columns, y, y_step);
#endif
}

void transpose8(const std::uint8_t* x, int64_t x_step, int64_t rows, int64_t columns, std::uint8_t* y, int64_t y_step) {
  transpose(x, x_step, rows, columns, y, y_step);
}
void transpose32(const std::uint32_t* x, int64_t x_step, int64_t rows, int64_t columns, std::uint32_t* y,
                 int64_t y_step) {
  transpose(x, x_step, rows, columns, y, y_step);
}

Elements elements() {
  return {.quantize = quantize,
          .dequantize = dequantize,
          .range = range,
          .add = add,
          .multiply = multiply,
          .clamp = clamp,
          .look_up = look_up,
          .maximum = maximum,
          .sum = sum,
          .add_up = add_up,
          .add_up_reals = add_up_reals,
          .average = average,
          .requantize = requantize,
          .to_float = to_float,
          .transpose8 = transpose8,
          .transpose32 = transpose32};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(elements);

Elements elements_for_current_target() { return HWY_DYNAMIC_DISPATCH(elements)(); }

}  // namespace octet::fast
#endif
