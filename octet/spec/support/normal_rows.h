// normal_rows.h: rows that are normalized and scaled, under the normalizations of transformers.
//
//   y = (x - mean) / deviation * scale + bias,      deviation = sqrt(variance + epsilon)
//
// mean is 0 and variance the mean of x^2 where rows are not centred. float32 is ONNX Runtime's, to the last bit, and it
// computes the moments of each operator in another way. float64 sums up in order, the variance of centred elements.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "octet/spec/support/lane_sums.h"

namespace octet {

template <typename T>
struct NormalRow {
  T mean, deviation;
  bool fused = false;  // y = fma((x - mean) * (1 / deviation), scale, bias), instead of as above

  T inverse() const { return 1 / deviation; }
  T operator()(T x, T scale) const { return fused ? (x - mean) * inverse() * scale : (x - mean) / deviation * scale; }
  T operator()(T x, T scale, T bias) const {
    return fused ? std::fma((x - mean) * inverse(), scale, bias) : (x - mean) / deviation * scale + bias;
  }
};

template <typename T>
T deviation_of(T sum_of_squares, std::int64_t length, T epsilon) {
  return std::sqrt(sum_of_squares / static_cast<T>(length) + epsilon);
}

// Sums in order: the mean, then the squares of what is left.
template <typename T>
NormalRow<T> centred_row(const T* x, std::int64_t length, T epsilon) {
  T sum = 0, squares = 0;
  for (std::int64_t k = 0; k < length; ++k) sum += x[k];
  const T mean = sum / static_cast<T>(length);
  for (std::int64_t k = 0; k < length; ++k) squares += (x[k] - mean) * (x[k] - mean);
  return {mean, deviation_of(squares, length, epsilon)};
}

// Mean and squares in one pass, corrected by each element (Welford).
template <typename T>
NormalRow<T> running_row(const T* x, std::int64_t length, T epsilon) {
  T mean = 0, squares = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    const T step = x[k] - mean;
    mean += step / static_cast<T>(k + 1);
    squares += step * (x[k] - mean);
  }
  return {mean, deviation_of(squares, length, epsilon)};
}

template <typename T>
NormalRow<T> root_mean_square_row(const T* x, std::int64_t length, T epsilon) {
  T squares = 0;
  for (std::int64_t k = 0; k < length; ++k) squares += x[k] * x[k];
  return {T(0), deviation_of(squares, length, epsilon)};
}

// LayerNormalization's, whose parameters are one row. From 8 elements on the mean is of a float64 sum.
template <typename T>
NormalRow<T> layer_row(const T* x, std::int64_t length, T epsilon) {
  if constexpr (std::is_same_v<T, float>) {
    if (length < 8) return running_row(x, length, epsilon);
    const float mean = static_cast<float>(sum_in_four_lanes(x, length) / static_cast<double>(length));
    return {mean, deviation_of(squares_in_eight_lanes(x, length, mean), length, epsilon), true};
  } else {
    return centred_row(x, length, epsilon);
  }
}

// SimplifiedLayerNormalization's and RMSNormalization's.
template <typename T>
NormalRow<T> simplified_row(const T* x, std::int64_t length, T epsilon) {
  if constexpr (std::is_same_v<T, float>)
    if (length >= 16) return {0, deviation_of(squares_in_eight_lanes(x, length, 0.0F), length, epsilon), true};
  return root_mean_square_row(x, length, epsilon);
}

// `scale` has `length` elements, and so has `bias`, or it is null. y may be x.
template <typename T>
void write_normal_row(const NormalRow<T>& row, const T* x, std::int64_t length, const T* scale, const T* bias, T* y) {
  vectorized_float<T>([=] {
    if (bias)
      for (std::int64_t k = 0; k < length; ++k) y[k] = row(x[k], scale[k], bias[k]);
    else
      for (std::int64_t k = 0; k < length; ++k) y[k] = row(x[k], scale[k]);
  });
}

}  // namespace octet
