// normal_rows.h: rows that are normalized and scaled, under the normalizations of transformers.
//
//   y = (x - mean) * inverse * scale + bias,      inverse = 1 / sqrt(var + epsilon)        centred
//   y = x * inverse * scale + bias,               inverse = 1 / sqrt(mean of x^2 + epsilon)
//
// Means are of float64 sums, rounded once to T (moments.h); the rest is computed in T.
#pragma once

#include <cmath>
#include <cstdint>

#include "octet/spec/support/moments.h"

namespace octet {

template <typename T>
struct NormalRow {
  T mean, inverse;

  T operator()(T x) const { return (x - mean) * inverse; }
};

template <typename T>
NormalRow<T> centred_row(const T* x, std::int64_t length, T epsilon) {
  const Moments<T> moments = moments_of(x, length);
  return {moments.mean, 1 / std::sqrt(moments.variance + epsilon)};
}

// Its mean is 0.
template <typename T>
NormalRow<T> rms_row(const T* x, std::int64_t length, T epsilon) {
  double sum = 0;
  for (std::int64_t k = 0; k < length; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return {T(0), 1 / std::sqrt(static_cast<T>(sum / static_cast<double>(length)) + epsilon)};
}

// `scale` has `length` elements, and so has `bias`, or it is null. y may be x.
template <typename T>
void write_normal_row(const NormalRow<T>& row, const T* x, std::int64_t length, const T* scale, const T* bias, T* y) {
  for (std::int64_t k = 0; k < length; ++k) {
    const T scaled = row(x[k]) * scale[k];
    y[k] = bias ? scaled + bias[k] : scaled;
  }
}

}  // namespace octet
