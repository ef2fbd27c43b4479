// log_softmax.cc: the meaning of LogSoftmax.
//
//   y[i] = x[i] - max - log(Sum_j exp(x[j] - max))
//
// over the lanes of softmax_lanes.h, in the type of x (float32 for the half types), as softmax_row.h says.
#include "octet/spec/operators.h"
#include "octet/spec/softmax_row.h"
#include "octet/spec/support/softmax_lanes.h"

namespace octet {
namespace {

void infer_log_softmax(Inference& i) { infer_softmax(i, "log_softmax_c1", "log_softmax_c2"); }

void compute_log_softmax(Call& call) {
  normalize_lanes(call, [](const Lanes& lanes, std::int64_t begin, std::int64_t end, const auto* x, auto* y) {
    log_softmax(lanes, begin, end, x, y);
  });
}

}  // namespace

const Operator ops::kLogSoftmax = {
    .name = "LogSoftmax",
    .versions = {1, 11, 13},
    .turns = {13},
    .formula = "y = x - max - log(Sum exp(x - max))",
    .constraints = {{"log_softmax_c1", "x is floating point"}, {"log_softmax_c2", "axis is in [-rank, rank - 1]"}},
    .infer = infer_log_softmax,
    .compute = compute_log_softmax,
    .traits = {Trait::kManyTerms, Trait::kFunction},
};

}  // namespace octet
