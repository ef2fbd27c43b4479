// moments.h: mean and variance of the population, summed in float64 and rounded once.
#pragma once

#include <array>
#include <cstdint>

#include "octet/base/vectorize.h"

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

inline constexpr std::int64_t kMomentsAtOnce = 8;

// The moments of `count` rows, which follow one another. So many at once are summed side by side: an addition need not wait for
// the one before it.
template <typename T>
void moments_of_rows(const T* x, std::int64_t length, std::int64_t count, Moments<T>* moments) {
  using Sums = std::array<double, kMomentsAtOnce>;
  if (count != kMomentsAtOnce) {
    for (std::int64_t row = 0; row < count; ++row) moments[row] = moments_of(x + row * length, length);
    return;
  }
  const auto averages = [=](auto f) {
    Sums sums = {};
    vectorized([=, to = &sums] {
      Sums here = {};
      for (std::int64_t k = 0; k < length; ++k)
        for (std::size_t row = 0; row < here.size(); ++row)
          here[row] += f(static_cast<double>(x[static_cast<std::int64_t>(row) * length + k]), row);
      *to = here;
    });
    for (double& sum : sums) sum /= static_cast<double>(length);
    return sums;
  };
  const Sums means = averages([](double v, std::size_t) { return v; });
  const Sums variances = averages([means](double v, std::size_t row) { return (v - means[row]) * (v - means[row]); });
  for (std::size_t row = 0; row < means.size(); ++row)
    moments[row] = {static_cast<T>(means[row]), static_cast<T>(variances[row])};
}

}  // namespace octet
