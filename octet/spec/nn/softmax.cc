// softmax.cc: the meaning of Softmax.
//
//   y[i] = exp(x[i] - max) / Sum_j exp(x[j] - max)
//
// over the lanes of softmax_lanes.h, in the type of x (float32 for the half types), as softmax_row.h says.
#include "octet/spec/operators.h"
#include "octet/spec/softmax_row.h"
#include "octet/spec/support/softmax_lanes.h"

namespace octet {
namespace {

void infer_softmax(Inference& i) { infer_softmax(i, "softmax_c1", "softmax_c2"); }

void compute_softmax(Call& call) {
  normalize_lanes(call, [](const Lanes& lanes, std::int64_t begin, std::int64_t end, const auto* x, auto* y) {
    softmax(lanes, begin, end, x, y);
  });
}

}  // namespace

const Operator ops::kSoftmax = {
    .name = "Softmax",
    .versions = {1, 11, 13},
    .turns = {13},
    .formula = "y = exp(x - max) / Sum exp(x - max)",
    .constraints = {{"softmax_c1", "x is floating point"}, {"softmax_c2", "axis is in [-rank, rank - 1]"}},
    .infer = infer_softmax,
    .compute = compute_softmax,
    .traits = {Trait::kManyTerms, Trait::kFunction},
};

}  // namespace octet
