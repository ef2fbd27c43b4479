// log_softmax.cc: the meaning of LogSoftmax.
//
//   y[i] = x[i] - max - log(Sum_j exp(x[j] - max))
//
// over the lanes of softmax_lanes.h, in the type of x (float32 for the half types); the sum runs in order.
#include <algorithm>
#include <cmath>

#include "octet/spec/operator.h"
#include "octet/spec/support/softmax_lanes.h"

namespace octet {
namespace {

void infer_log_softmax(Inference& i) { infer_softmax(i, "log_softmax_c1", "log_softmax_c2"); }

template <typename T>
void log_softmax_lane(const T* x, T* y, std::int64_t length, std::int64_t step) {
  T max = x[0];
  for (std::int64_t k = 1; k < length; ++k) max = std::max(max, x[k * step]);
  T sum = 0;
  for (std::int64_t k = 0; k < length; ++k) sum += std::exp(x[k * step] - max);
  const T log_sum = std::log(sum);
  for (std::int64_t k = 0; k < length; ++k) y[k * step] = x[k * step] - max - log_sum;
}

void compute_log_softmax(Call& call) {
  normalize_lanes(call, []<typename T>(const T* x, T* y, std::int64_t length, std::int64_t step) {
    log_softmax_lane(x, y, length, step);
  });
}

}  // namespace

extern const Operator kLogSoftmax = {
    .name = "LogSoftmax",
    .versions = {1, 11, 13},
    .formula = "y = x - max - log(Sum exp(x - max))",
    .constraints = {{"log_softmax_c1", "x is floating point"}, {"log_softmax_c2", "axis is in [-rank, rank - 1]"}},
    .infer = infer_log_softmax,
    .compute = compute_log_softmax,
};

}  // namespace octet
