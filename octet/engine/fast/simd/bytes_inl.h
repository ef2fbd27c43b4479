// bytes_inl.h: from floats to bytes, for the sources that Highway compiles once for each target.
#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "octet/engine/fast/simd/elements.h"

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_BYTES_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_BYTES_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_BYTES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The low byte of each.
template <typename V>
HWY_INLINE void store_bytes(V integers, std::uint8_t* y) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(V) == 64)
    return _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm512_cvtepi32_epi8(integers.raw));
#endif
  const hn::RebindToUnsigned<hn::DFromV<V>> d;
  const auto low = hn::And(hn::BitCast(d, integers), hn::Set(d, 0xFF));
  hn::StoreU(hn::U8FromU32(low), hn::Rebind<std::uint8_t, decltype(d)>(), y);
}

// t, the result of an operation, rounded within the bounds, plus what is added to the integer. NaN gives the least.
// Max and Min return the other operand for a quiet NaN, on every target.
struct Saturation {
  Bounds bounds;
  std::int32_t after = 0;

  template <typename D>
  HWY_INLINE void store(D d, hn::Vec<D> t, std::uint8_t* y) const {
    t = hn::Max(t, hn::Set(d, static_cast<float>(bounds.low - after)));
    t = hn::Min(t, hn::Set(d, static_cast<float>(bounds.high - after)));
    // As round_small_ties_even in spec/rounding.h: the bounds are small.
    const hn::RebindToSigned<D> integers;
    constexpr float kNoFraction = 0x1.8p23F;
    const auto rounded = hn::BitCast(integers, hn::Add(t, hn::Set(d, kNoFraction)));
    store_bytes(hn::Sub(rounded, hn::Set(integers, std::bit_cast<std::int32_t>(kNoFraction) - after)), y);
  }

  // Where ONNX Runtime converts before it saturates: 2^31 and above give the least too.
  template <typename D>
  HWY_INLINE void convert_and_store(D d, hn::Vec<D> t, std::uint8_t* y) const {
    const auto least = hn::Set(d, static_cast<float>(bounds.low));
    store(d, hn::IfThenElse(hn::Lt(t, hn::Set(d, 0x1p31F)), t, least), y);
  }
};

// How a result that int32 can't hold becomes a byte.
enum class Overflow { kSaturates, kGivesLeast };

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// 32 at a time: conversions make the least int32 of NaN and of what they can't hold, and packing saturates. uint8 are packed as
// int8, 128 less.
class Packing {
 public:
  HWY_INLINE explicit Packing(Saturation saturation) {
    const std::int32_t less = saturation.bounds.low < 0 ? 0 : 128;
    added_ = _mm256_set1_epi16(static_cast<std::int16_t>(saturation.after - less));
    low_ = _mm256_set1_epi8(static_cast<char>(saturation.bounds.low - less));
    high_ = _mm256_set1_epi8(static_cast<char>(saturation.bounds.high - less));
    less_ = _mm256_set1_epi8(static_cast<char>(less));
    clamps_ = saturation.bounds.high - saturation.bounds.low < 255;
  }

  // The bytes of a, then those of b, c and d.
  template <Overflow kOverflow>
  HWY_INLINE __m256i pack(__m256 a, __m256 b, __m256 c, __m256 d) const {
    return _mm256_permutevar8x32_epi32(pack_halves<kOverflow>(a, b, c, d), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  // The same, 16 bytes of a and b, and 16 of c and d.
  struct Two {
    __m128i first, second;
  };
  template <Overflow kOverflow>
  HWY_INLINE Two pack_by_two(__m256 a, __m256 b, __m256 c, __m256 d) const {
    const __m256i halves = pack_halves<kOverflow>(a, b, c, d);
    const __m128i low = _mm256_castsi256_si128(halves), high = _mm256_extracti128_si256(halves, 1);
    return {_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high)};
  }
  // The bytes of the lower halves of all four, then those of the upper ones.
  template <Overflow kOverflow>
  HWY_INLINE __m256i pack_halves(__m256 a, __m256 b, __m256 c, __m256 d) const {
    const auto convert = [](__m256 t) HWY_ATTR {
      if constexpr (kOverflow == Overflow::kSaturates) t = _mm256_min_ps(_mm256_set1_ps(0x1p30F), t);  // NaN stays
      return _mm256_cvtps_epi32(t);
    };
    const __m256i first = _mm256_adds_epi16(_mm256_packs_epi32(convert(a), convert(b)), added_);
    const __m256i second = _mm256_adds_epi16(_mm256_packs_epi32(convert(c), convert(d)), added_);
    __m256i bytes = _mm256_packs_epi16(first, second);
    if (HWY_UNLIKELY(clamps_)) bytes = _mm256_max_epi8(_mm256_min_epi8(bytes, high_), low_);
    return _mm256_xor_si256(bytes, less_);
  }

 private:
  __m256i added_, low_, high_, less_;
  bool clamps_;
};
#endif

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
