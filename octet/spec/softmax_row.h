// softmax_row.h: numbers that sum to 1, out of any.
//
//   e[k] = exp(x[k] - max),   y[k] = e[k] * (1 / sum),   log y[k] = (x[k] - max) - log(sum)
//
// float32 is ONNX Runtime's, to the last bit: max is never below the lowest finite number, exp is ort_exp_of_negative,
// and the sum has eight lanes, k mod 8, that are added in pairs. So where x - max is below -88.38, y is 0; it is NaN for a
// row of -inf. float64 is summed in order, and divided.
#pragma once

#include <cstdint>

#include "octet/spec/axes.h"

namespace octet {

// Eight sums, added in pairs.
inline float total_of_eight(const float* lanes) {
  return ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

// Lanes [begin, end) of x. T is float or double. y may be x.
template <typename T>
void softmax(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* x, T* y);
// The same; y is not x.
template <typename T>
void log_softmax(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* x, T* y);

// A row of adjacent elements. y may be x.
template <typename T>
void softmax_row(const T* x, T* y, std::int64_t length);

}  // namespace octet
