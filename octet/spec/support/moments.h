// moments.h: mean and variance of the population, summed in float64 and rounded once.
#pragma once

#include <cstdint>

namespace octet {

template <typename T>
struct Moments {
  T mean, variance;
};

// The moments of `runs` runs of `length` elements each, which begin `stride` elements apart. NaN for no elements.
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

}  // namespace octet
