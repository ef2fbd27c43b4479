// vectorize.h: hot loops compiled again, for wider vectors.
//
// vectorized(f) calls f(), on x86-64 as a copy that was compiled for AVX2 and FMA where the CPU has them. The compiler
// contracts no product and sum (-ffp-contract=off) and rounds every std::fma once in each copy, so results do not depend on
// the CPU. f should be a plain loop, with whatever it calls visible to the compiler, and hold what it reads by value: bytes that it
// writes might otherwise be those very variables.
#pragma once

#include <type_traits>

namespace octet {

#if defined(__x86_64__)
template <typename F>
[[gnu::target("avx2,fma"), gnu::flatten]] void call_with_avx2(F f) {
  f();
}

template <typename F>
[[gnu::target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"), gnu::flatten]] void call_with_avx512(F f) {
  f();
}

inline bool has_avx2_and_fma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

inline bool has_avx512() {
  return has_avx2_and_fma() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

template <typename F>
void vectorized(F f) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return call_with_avx2(f);
#endif
  f();
}

// For loops that compute in T. Formulas of float32 take 10 to 20 instructions an element, so that AVX-512 pays; loops
// of other types have one copy, which keeps the library small.
template <typename T, typename F>
void vectorized_float(F f) {
  if constexpr (std::is_same_v<T, float>) {
#if defined(__x86_64__)
    if (has_avx512()) return call_with_avx512(f);
#endif
    vectorized(f);
  } else {
    f();
  }
}

}  // namespace octet
