#include "octet/spec/softmax_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "octet/base/vectorize.h"
#include "octet/spec/ort_exp.h"

namespace octet {
namespace {

constexpr std::int64_t kSumLanes = 8;

// NaN is passed over: its exponential makes one of the sum. Either zero may stand for the other.
float greatest_of_row(const float* x, std::int64_t length) {
  constexpr std::int64_t kLanes = 16;
  std::array<float, kLanes> lanes;
  lanes.fill(std::numeric_limits<float>::lowest());
  const std::int64_t whole = length / kLanes * kLanes;
  for (std::int64_t k = 0; k < whole; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = std::max(lanes[lane], x[k + static_cast<std::int64_t>(lane)]);
  float greatest = *std::max_element(lanes.begin(), lanes.end());
  for (std::int64_t k = whole; k < length; ++k) greatest = std::max(greatest, x[k]);
  return greatest;
}

// e may be x; the loop over one array vectorizes, while that over two of which one may overlap the other does not.
void exponentials_of_row(const float* x, float* e, std::int64_t length, float greatest) {
  if (x == e)
    for (std::int64_t k = 0; k < length; ++k) e[k] = ort_exp_of_negative(e[k] - greatest);
  else
    for (std::int64_t k = 0; k < length; ++k) e[k] = ort_exp_of_negative(x[k] - greatest);
}

float sum_of_exponentials(const float* e, std::int64_t length) {
  std::array<float, kSumLanes> lanes = {};
  const std::int64_t whole = length / kSumLanes * kSumLanes;
  for (std::int64_t k = 0; k < whole; k += kSumLanes)
    for (std::size_t lane = 0; lane < kSumLanes; ++lane) lanes[lane] += e[k + static_cast<std::int64_t>(lane)];
  for (std::int64_t k = whole; k < length; ++k) lanes[static_cast<std::size_t>(k - whole)] += e[k];
  return total_of_eight(lanes.data());
}

// Neighbouring lanes side by side: element k of lane j is x[k * step + j].
struct SoftmaxColumns {
  static constexpr std::int64_t kMost = 64;

  std::int64_t count, length, step;
  float greatest[kMost], sums[kSumLanes][kMost];

  void find_greatest(const float* x) {
    std::fill_n(greatest, count, std::numeric_limits<float>::lowest());
    for (std::int64_t k = 0; k < length; ++k)
      for (std::int64_t j = 0; j < count; ++j) greatest[j] = std::max(greatest[j], x[k * step + j]);
  }

  // Puts the exponentials at e, and their sums first among `sums`.
  void sum_exponentials(const float* x, float* e) {
    for (auto& lane : sums) std::fill_n(lane, count, 0.0F);
    for (std::int64_t k = 0; k < length; ++k) {
      float* const lane = sums[k % kSumLanes];
      for (std::int64_t j = 0; j < count; ++j) {
        const float term = ort_exp_of_negative(x[k * step + j] - greatest[j]);
        e[k * step + j] = term;
        lane[j] += term;
      }
    }
    for (std::int64_t j = 0; j < count; ++j) {
      const float of_column[kSumLanes] = {sums[0][j], sums[1][j], sums[2][j], sums[3][j],
                                          sums[4][j], sums[5][j], sums[6][j], sums[7][j]};
      sums[0][j] = total_of_eight(of_column);
    }
  }
};

// Sums in lanes keep to AVX2: of wider vectors the compiler makes slower loops.
template <bool kLog>
void normalize_softmax_row(const float* x, float* y, std::int64_t length) {
  float greatest = 0, sum = 0;
  vectorized([=, to = &greatest] { *to = greatest_of_row(x, length); });
  vectorized_float<float>([=] { exponentials_of_row(x, y, length, greatest); });
  vectorized([=, to = &sum] { *to = sum_of_exponentials(y, length); });
  const float log_sum = std::log(sum), inverse = 1 / sum;
  vectorized_float<float>([=] {
    for (std::int64_t k = 0; k < length; ++k) y[k] = kLog ? (x[k] - greatest) - log_sum : y[k] * inverse;
  });
}

template <bool kLog>
void normalize_softmax_columns(const float* x, float* y, std::int64_t count, std::int64_t length, std::int64_t step) {
  vectorized_float<float>([=] {
    SoftmaxColumns columns = {.count = count, .length = length, .step = step};
    columns.find_greatest(x);
    columns.sum_exponentials(x, y);
    float* const of_all = columns.sums[0];
    for (std::int64_t j = 0; j < count; ++j) of_all[j] = kLog ? std::log(of_all[j]) : 1 / of_all[j];
    for (std::int64_t k = 0; k < length; ++k)
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t at = k * step + j;
        y[at] = kLog ? (x[at] - columns.greatest[j]) - of_all[j] : y[at] * of_all[j];
      }
  });
}

template <bool kLog>
void normalize_softmax_lane(const double* x, double* y, std::int64_t length, std::int64_t step) {
  double greatest = std::numeric_limits<double>::lowest(), sum = 0;
  for (std::int64_t k = 0; k < length; ++k) greatest = std::max(greatest, x[k * step]);
  for (std::int64_t k = 0; k < length; ++k) {
    const double e = std::exp(x[k * step] - greatest);
    if (!kLog) y[k * step] = e;
    sum += e;
  }
  const double log_sum = std::log(sum);
  for (std::int64_t k = 0; k < length; ++k) y[k * step] = kLog ? (x[k * step] - greatest) - log_sum : y[k * step] / sum;
}

template <bool kLog, typename T>
void normalize_softmax(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* x, T* y) {
  for (std::int64_t lane = begin, count = 1; lane < end; lane += count) {
    const std::int64_t first = lanes.start(lane);
    if constexpr (std::is_same_v<T, double>) {
      normalize_softmax_lane<kLog>(x + first, y + first, lanes.length, lanes.step);
    } else if (lanes.step == 1) {
      normalize_softmax_row<kLog>(x + first, y + first, lanes.length);
    } else {
      count = std::min({SoftmaxColumns::kMost, end - lane, lanes.step - lane % lanes.step});
      normalize_softmax_columns<kLog>(x + first, y + first, count, lanes.length, lanes.step);
    }
  }
}

}  // namespace

template <typename T>
void softmax(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* x, T* y) {
  normalize_softmax<false>(lanes, begin, end, x, y);
}

template <typename T>
void log_softmax(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* x, T* y) {
  normalize_softmax<true>(lanes, begin, end, x, y);
}

template <typename T>
void softmax_row(const T* x, T* y, std::int64_t length) {
  if constexpr (std::is_same_v<T, double>)
    normalize_softmax_lane<false>(x, y, length, 1);
  else
    normalize_softmax_row<false>(x, y, length);
}

template void softmax(const Lanes&, std::int64_t, std::int64_t, const float*, float*);
template void softmax(const Lanes&, std::int64_t, std::int64_t, const double*, double*);
template void log_softmax(const Lanes&, std::int64_t, std::int64_t, const float*, float*);
template void log_softmax(const Lanes&, std::int64_t, std::int64_t, const double*, double*);
template void softmax_row(const float*, float*, std::int64_t);
template void softmax_row(const double*, double*, std::int64_t);

}  // namespace octet
