// moments.h: mean and variance of the population.
#pragma once

#include <cstdint>

#include "octet/spec/support/lane_sums.h"

namespace octet {

template <typename T>
struct Moments {
  T mean, variance;
};

// Summed in float64 and rounded once: the moments of `runs` runs of `length` elements each, which begin `stride` elements apart. NaN for no elements.
template <typename T>
Moments<T> moments_of(const T* x, std::int64_t length, std::int64_t runs = 1, std::int64_t stride = 0) {
  const auto average = [=](auto f) {
    double sum = 0;
    for (std::int64_t run = 0; run < runs; ++run)
      for (std::int64_t k = 0; k < length; ++k) sum += f(static_cast<double>(x[run * stride + k]));
    return sum / static_cast<double>(runs * length);
  };
  const double mean = average([](double v) { return v; });
  return {static_cast<T>(mean), static_cast<T>(average([mean](double v) { return (v - mean) * (v - mean); }))};
}

// Of one run that begins `offset` elements behind an aligned address, in ONNX Runtime's order: the sum of the elements has the
// vectors of sum_in_two_vectors, the sum of the squared deviations has them from the first element on. Each operation is rounded.
inline Moments<float> moments_in_vectors(const float* x, std::int64_t length, std::int64_t offset) {
  const float count = static_cast<float>(length), mean = aligned_sum(x, length, offset) / count;
  return {mean, sum_in_two_vectors([=](std::int64_t k) { return (x[k] - mean) * (x[k] - mean); }, length, 0) / count};
}

// ONNX Runtime has no kernel for float64.
inline Moments<double> moments_in_vectors(const double* x, std::int64_t length, std::int64_t) {
  return moments_of(x, length);
}

}  // namespace octet
