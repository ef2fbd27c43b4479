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

// In four lanes of T: what a multiple of 4 elements holds, then the rest.
template <typename T>
T lane_sum(const float* x, std::int64_t length) {
  constexpr std::int64_t kLanes = 4;
  std::array<T, kLanes> lanes = {};
  const std::int64_t whole = length / kLanes * kLanes;
  vectorized([=, to = &lanes] {
    std::array<T, kLanes> sums = {};
    for (std::int64_t k = 0; k < whole; k += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += static_cast<T>(x[k + static_cast<std::int64_t>(lane)]);
    *to = sums;
  });
  T sum = total_of(lanes);
  for (std::int64_t k = whole; k < length; ++k) sum += static_cast<T>(x[k]);
  return sum;
}

inline double sum_in_four_lanes(const float* x, std::int64_t length) { return lane_sum<double>(x, length); }

// GlobalAveragePool's sum.
inline float plane_sum(const float* x, std::int64_t length) { return lane_sum<float>(x, length); }

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
  constexpr std::size_t kLanes = 4;
  std::array<float, kLanes> even, odd;
  const auto element = [&](std::int64_t v, std::size_t lane) {
    return at(begin + 4 * v + static_cast<std::int64_t>(lane));
  };
  const auto add = [&](std::array<float, kLanes>& sums, std::int64_t v) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += element(v, lane);
  };
  for (std::size_t lane = 0; lane < kLanes; ++lane) even[lane] = element(0, lane);
  if (vectors > 1) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) odd[lane] = element(1, lane);
    for (std::int64_t v = 2; v + 1 < vectors; v += 2) {
      add(even, v);
      add(odd, v + 1);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) even[lane] += odd[lane];
    if (vectors % 2 == 1) add(even, vectors - 1);
  }
  float sum = total_of(even);
  for (std::int64_t k = 0; k < begin; ++k) sum += at(k);
  for (std::int64_t k = begin + 4 * vectors; k < length; ++k) sum += at(k);
  return sum;
}

inline float aligned_sum(const float* x, std::int64_t length, std::int64_t offset) {
  return sum_in_two_vectors([x](std::int64_t k) { return x[k]; }, length, offset);
}

// The sums of `count` neighbouring columns, whose elements lie `step` apart: four elements, added in order, are added to the
// sum; then two, then one.
inline void sums_by_fours(const float* x, std::int64_t length, std::int64_t step, std::int64_t count, float* sums) {
  vectorized([=] {
    std::fill_n(sums, count, 0.0F);
    const float* row = x;
    const std::int64_t rest = length % 4;
    for (; row < x + (length - rest) * step; row += 4 * step)
      for (std::int64_t j = 0; j < count; ++j)
        sums[j] = (((row[j] + row[step + j]) + row[2 * step + j]) + row[3 * step + j]) + sums[j];
    if (rest >= 2) {
      for (std::int64_t j = 0; j < count; ++j) sums[j] = (row[j] + row[step + j]) + sums[j];
      row += 2 * step;
    }
    if (rest % 2 != 0)
      for (std::int64_t j = 0; j < count; ++j) sums[j] = row[j] + sums[j];
  });
}

}  // namespace octet
