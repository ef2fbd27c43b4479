// pairs_inl.h: products of pairs of int16, for the sources that Highway compiles once for each target.
#include <hwy/highway.h>

#include <cstdint>

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_PAIRS_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_PAIRS_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_PAIRS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Sums = hn::ScalableTag<std::int32_t>;
using SumVector = hn::Vec<Sums>;

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

// The same without a sum.
template <typename D>
HWY_INLINE hn::Vec<D> multiply_pairs(D d, hn::Vec<D> a, hn::Vec<D> b) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (hn::MaxLanes(D()) == 8) {
    hn::Vec<D> product;
    asm("vpmaddwd %2, %1, %0" : "=x"(product.raw) : "x"(a.raw), "xm"(b.raw));
    return product;
  }
#endif
  return add_pairs(d, hn::Zero(d), a, b);
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
