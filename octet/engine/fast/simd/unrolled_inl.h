// unrolled_inl.h: loops over constants, for the sources that Highway compiles once for each target.
#include <hwy/highway.h>

#include <utility>

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_UNROLLED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_UNROLLED_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_UNROLLED_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_UNROLLED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

template <typename F, int... i>
HWY_INLINE void unrolled(F f, std::integer_sequence<int, i...>) {
  (f(std::integral_constant<int, i>()), ...);
}
template <int kCount, typename F>
HWY_INLINE void unrolled(F f) {
  unrolled(f, std::make_integer_sequence<int, kCount>());
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
