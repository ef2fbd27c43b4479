// lane_sums.h: float32 sums in the order of ONNX Runtime's kernels for x86-64.
//
// A lane sums up every fourth or eighth element; the lanes are added in pairs; what is left of the row follows. The order
// is part of an operator's meaning: the same bits on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "octet/base/vectorize.h"

namespace octet {

template <typename T>
T total_of(const std::array<T, 4>& lanes) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

// In float64. Every sum in 4 lanes begins with what a multiple of 4 elements holds.
inline double sum_in_four_lanes(const float* x, std::int64_t length) {
  std::array<double, 4> lanes = {};
  const std::int64_t whole = length / 4 * 4;
  for (std::int64_t k = 0; k < whole; ++k) lanes[static_cast<std::size_t>(k % 4)] += static_cast<double>(x[k]);
  double sum = total_of(lanes);
  for (std::int64_t k = whole; k < length; ++k) sum += static_cast<double>(x[k]);
  return sum;
}

// The same in float32: GlobalAveragePool's sum.
inline float plane_sum(const float* x, std::int64_t length) {
  std::array<float, 4> lanes = {};
  const std::int64_t whole = length / 4 * 4;
  for (std::int64_t k = 0; k < whole; ++k) lanes[static_cast<std::size_t>(k % 4)] += x[k];
  float sum = total_of(lanes);
  for (std::int64_t k = whole; k < length; ++k) sum += x[k];
  return sum;
}

// Sum (x - mean)^2: eight lanes of fused multiply-adds. Of the rest the first four squares are rounded, where it has so many,
// the others fused.
inline float squares_in_eight_lanes(const float* x, std::int64_t length, float mean) {
  std::array<float, 8> lanes = {};
  const std::int64_t whole = length / 8 * 8, rounded = length - whole < 4 ? whole : whole + 4;
  const auto add = [=](float& sum, std::int64_t k) { sum = std::fma(x[k] - mean, x[k] - mean, sum); };
  vectorized([=, to = lanes.data()] {
    std::array<float, 8> sums = {};
    for (std::int64_t k = 0; k < whole; k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) add(sums[lane], k + static_cast<std::int64_t>(lane));
    std::copy(sums.begin(), sums.end(), to);
  });
  float sum = total_of<float>({lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]});
  for (std::int64_t k = whole; k < rounded; ++k) sum += (x[k] - mean) * (x[k] - mean);
  for (std::int64_t k = rounded; k < length; ++k) add(sum, k);
  return sum;
}

// The sum of at(0) to at(length - 1), of a row that begins `offset` elements behind an address that is a multiple of 16
// bytes. Two vectors of four take turns, from the first aligned element on; what comes before and after them is added last.
template <typename At>
float sum_in_two_vectors(const At& at, std::int64_t length, std::int64_t offset) {
  const std::int64_t begin = (4 - offset % 4) % 4, vectors = length < begin ? 0 : (length - begin) / 4;
  if (vectors == 0) {
    float sum = length == 0 ? 0 : at(0);
    for (std::int64_t k = 1; k < length; ++k) sum += at(k);
    return sum;
  }
  std::array<float, 4> lanes = {};
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const auto in_vector = [&](std::int64_t vector) {
      return at(begin + 4 * vector + static_cast<std::int64_t>(lane));
    };
    float even = in_vector(0);
    if (vectors > 1) {
      float odd = in_vector(1);
      for (std::int64_t v = 2; v + 1 < vectors; v += 2) {
        even += in_vector(v);
        odd += in_vector(v + 1);
      }
      even += odd;
      if (vectors % 2 == 1) even += in_vector(vectors - 1);
    }
    lanes[lane] = even;
  }
  float sum = total_of(lanes);
  for (std::int64_t k = 0; k < begin; ++k) sum += at(k);
  for (std::int64_t k = begin + 4 * vectors; k < length; ++k) sum += at(k);
  return sum;
}

inline float aligned_sum(const float* x, std::int64_t length, std::int64_t offset) {
  return sum_in_two_vectors([x](std::int64_t k) { return x[k]; }, length, offset);
}

// The sum of elements that lie `step` apart: four, added in order, are added to the sum; then two, then one.
inline float sum_by_fours(const float* x, std::int64_t length, std::int64_t step) {
  float sum = 0;
  for (std::int64_t k = 0; k < length;) {
    const std::int64_t left = length - k, count = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    float part = x[k * step];
    for (std::int64_t i = 1; i < count; ++i) part += x[(k + i) * step];
    sum = part + sum;
    k += count;
  }
  return sum;
}

}  // namespace octet
