// softmax_row.h: numbers that sum to 1, out of any.
//
//   e[k] = exp(x[k] - max),   y[k] = e[k] * (1 / sum),   log y[k] = (x[k] - max) - log(sum)
//
// float32 is ONNX Runtime's, to the last bit: max is never below the lowest finite number, exp is ort_exp_of_negative,
// and the sum has eight lanes, k mod 8, that are added in pairs. So where x - max is below -88.38, y is 0; it is NaN for a
// row of -inf. float64 is summed in order, and divided.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "octet/spec/ort_exp.h"

namespace octet {

// Eight sums of every eighth term, added in pairs.
class EightLanes {
 public:
  void add(std::int64_t k, float term) { lanes_[static_cast<std::size_t>(k % 8)] += term; }
  float total() const {
    const auto pairs = [&](std::size_t first) {
      return (lanes_[first] + lanes_[first + 1]) + (lanes_[first + 2] + lanes_[first + 3]);
    };
    return pairs(4) + pairs(0);
  }

 private:
  std::array<float, 8> lanes_ = {};
};

// Elements lie `step` apart.
template <typename T>
T softmax_maximum(const T* x, std::int64_t length, std::int64_t step) {
  T maximum = std::numeric_limits<T>::lowest();
  for (std::int64_t k = 0; k < length; ++k) maximum = std::max(maximum, x[k * step]);
  return maximum;
}

// Calls store(k, e[k]) for each, and gives the sum of all.
template <typename F>
float softmax_sum(const float* x, std::int64_t length, std::int64_t step, float maximum, F store) {
  EightLanes sum;
  for (std::int64_t k = 0; k < length; ++k) {
    const float e = ort_exp_of_negative(x[k * step] - maximum);
    store(k, e);
    sum.add(k, e);
  }
  return sum.total();
}

template <typename F>
double softmax_sum(const double* x, std::int64_t length, std::int64_t step, double maximum, F store) {
  double sum = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    const double e = std::exp(x[k * step] - maximum);
    store(k, e);
    sum += e;
  }
  return sum;
}

// y may be x.
template <typename T>
void softmax_row(const T* x, T* y, std::int64_t length, std::int64_t step = 1) {
  const T sum =
      softmax_sum(x, length, step, softmax_maximum(x, length, step), [=](std::int64_t k, T e) { y[k * step] = e; });
  const T inverse = 1 / sum;
  for (std::int64_t k = 0; k < length; ++k)
    y[k * step] = std::is_same_v<T, float> ? y[k * step] * inverse : y[k * step] / sum;
}

template <typename T>
void log_softmax_row(const T* x, T* y, std::int64_t length, std::int64_t step) {
  const T maximum = softmax_maximum(x, length, step);
  const T log_sum = std::log(softmax_sum(x, length, step, maximum, [](std::int64_t, T) {}));
  for (std::int64_t k = 0; k < length; ++k) y[k * step] = (x[k * step] - maximum) - log_sum;
}

}  // namespace octet
