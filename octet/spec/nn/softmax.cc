// softmax.cc: the meaning of Softmax.
//
//   y[i] = exp(x[i] - max) / Sum_j exp(x[j] - max)
//
// over the lanes of softmax_lanes.h, in the type of x (float32 for the half types); the sum runs in order.
#include <algorithm>
#include <cmath>

#include "octet/spec/operator.h"
#include "octet/spec/support/softmax_lanes.h"

namespace octet {
namespace {

void infer_softmax(Inference& i) { infer_softmax(i, "softmax_c1", "softmax_c2"); }

template <typename T>
void softmax_lane(const T* x, T* y, std::int64_t length, std::int64_t step) {
  T max = x[0];
  for (std::int64_t k = 1; k < length; ++k) max = std::max(max, x[k * step]);
  T sum = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    y[k * step] = std::exp(x[k * step] - max);
    sum += y[k * step];
  }
  for (std::int64_t k = 0; k < length; ++k) y[k * step] /= sum;
}

void compute_softmax(Call& call) {
  normalize_lanes(call, []<typename T>(const T* x, T* y, std::int64_t length, std::int64_t step) {
    softmax_lane(x, y, length, step);
  });
}

}  // namespace

extern const Operator kSoftmax = {
    .name = "Softmax",
    .versions = {1, 11, 13},
    .formula = "y = exp(x - max) / Sum exp(x - max)",
    .constraints = {{"softmax_c1", "x is floating point"}, {"softmax_c2", "axis is in [-rank, rank - 1]"}},
    .infer = infer_softmax,
    .compute = compute_softmax,
};

}  // namespace octet
