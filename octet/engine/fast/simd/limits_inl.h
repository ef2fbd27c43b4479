// limits_inl.h: floats kept within limits, for the sources that Highway compiles once for each target.
#include <hwy/highway.h>

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_LIMITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_LIMITS_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_LIMITS_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_LIMITS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x < low ? low : x and x > high ? high : x: NaN stays, and so do the two zeros.
#if HWY_TARGET <= HWY_SSE4  // x86: of NaN and of equal ones the second operand stays
template <typename V>
HWY_INLINE V at_least(V low, V x) {
  return hn::Max(low, x);
}
template <typename V>
HWY_INLINE V at_most(V high, V x) {
  return hn::Min(high, x);
}
#else
template <typename V>
HWY_INLINE V at_least(V low, V x) {
  return hn::IfThenElse(hn::Lt(x, low), low, x);
}
template <typename V>
HWY_INLINE V at_most(V high, V x) {
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}
#endif

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
