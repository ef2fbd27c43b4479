// vectorize.h: hot loops compiled a second time, for wider vectors.
//
// vectorized(f) calls f(), on x86-64 processors with AVX2 as a copy that was compiled for it. AVX2 has no fused
// multiply-add, so both copies round alike: results do not depend on the processor. f should be a plain loop, with
// whatever it calls visible to the compiler, and hold what it reads by value: bytes that it writes might otherwise be
// those very variables.
#pragma once

namespace octet {

#if defined(__x86_64__)
template <typename F>
[[gnu::target("avx2"), gnu::flatten]] void call_with_avx2(F f) {
  f();
}
#endif

template <typename F>
void vectorized(F f) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return call_with_avx2(f);
#endif
  f();
}

}  // namespace octet
