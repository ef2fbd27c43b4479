// vectors.h: numbers side by side, for kernels that hold their sums in vector registers.
//
// A kernel is a template over V, Vector16<T> or Vector32<T>, and runs inside V::call. It declares V::Type and computes
// with V's functions alone, which take references: operators of its own on V::Type would be compiled for the baseline
// before they reach the processor that V is for. A product of floats and the sum it is added to round once, together,
// with or without an instruction for it, and integers wrap, so results depend on neither the width nor the processor, but for the bits of a NaN.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "octet/base/fused.h"

namespace octet {

// 16 bytes: the baseline of any 64-bit machine. T is float, double, or an unsigned integer.
template <typename T>
struct Vector16 {
  using Type [[gnu::vector_size(16)]] = T;
  static constexpr int kLanes = 16 / sizeof(T);

  static void load(Type& vector, const T* from) { std::memcpy(&vector, from, sizeof(vector)); }
  static void store(const Type& vector, T* to) { std::memcpy(to, &vector, sizeof(vector)); }
  static void add(Type& sum, T number) { sum += number; }
  static void multiply_add(Type& sum, T factor, const Type& vector) {
    if constexpr (!std::is_floating_point_v<T>) {
      sum += factor * vector;
    } else {
#if defined(__aarch64__)
      if constexpr (std::is_same_v<T, float>)
        sum = vfmaq_n_f32(sum, vector, factor);
      else
        sum = vfmaq_n_f64(sum, vector, factor);
#else
      for (int lane = 0; lane < kLanes; ++lane) sum[lane] = fused_multiply_add(factor, vector[lane], sum[lane]);
#endif
    }
  }

  template <typename F>
  static void call(F f) {
    f();
  }
};

#if defined(__x86_64__)
// 32 bytes, for processors with AVX2 and FMA.
template <typename T>
struct Vector32 {
  using Type [[gnu::vector_size(32)]] = T;
  static constexpr int kLanes = 32 / sizeof(T);

  [[gnu::target("avx2,fma")]] static void load(Type& vector, const T* from) {
    std::memcpy(&vector, from, sizeof(vector));
  }
  [[gnu::target("avx2,fma")]] static void store(const Type& vector, T* to) { std::memcpy(to, &vector, sizeof(vector)); }
  [[gnu::target("avx2,fma")]] static void add(Type& sum, T number) { sum += number; }
  [[gnu::target("avx2,fma")]] static void multiply_add(Type& sum, T factor, const Type& vector) {
    if constexpr (std::is_same_v<T, float>)
      sum = _mm256_fmadd_ps(_mm256_set1_ps(factor), vector, sum);
    else if constexpr (std::is_same_v<T, double>)
      sum = _mm256_fmadd_pd(_mm256_set1_pd(factor), vector, sum);
    else
      sum += factor * vector;
  }

  template <typename F>
  [[gnu::target("avx2,fma"), gnu::flatten]] static void call(F f) {
    f();
  }
};
#endif

// f(0), ..., f(kCount - 1), spelled out: an array that only constants index can live in registers.
template <int kCount, typename F>
void unrolled(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(i), ...); }
  (std::make_integer_sequence<int, kCount>());
}

// f.operator()<V>(), V the widest that this processor has.
template <typename T, typename F>
void with_widest_vector(F f) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return f.template operator()<Vector32<T>>();
#endif
  f.template operator()<Vector16<T>>();
}

}  // namespace octet
