// hardmax.cc: the meaning of Hardmax.
//
//   y[i] = 1 where x[i] is the first of the largest of its lane, 0 elsewhere
//
// over the lanes of softmax_lanes.h.
#include "octet/spec/operators.h"
#include "octet/spec/support/softmax_lanes.h"

namespace octet {
namespace {

void compute_hardmax(Call& call) {
  normalize_lanes(call, []<typename T>(const T* x, T* y, std::int64_t length, std::int64_t step) {
    std::int64_t largest = 0;
    for (std::int64_t k = 1; k < length; ++k)
      if (x[k * step] > x[largest * step]) largest = k;
    for (std::int64_t k = 0; k < length; ++k) y[k * step] = k == largest ? T(1) : T(0);
  });
}

}  // namespace

const Operator ops::kHardmax = {
    .name = "Hardmax",
    .versions = {1, 11, 13},
    .turns = {13},
    .formula = "y = 1 for the first of the largest elements of a lane, 0 for the others",
    .constraints = {{"hardmax_c1", "x is floating point"}, {"hardmax_c2", "axis is in [-rank, rank - 1]"}},
    .infer = [](Inference& i) { infer_softmax(i, "hardmax_c1", "hardmax_c2"); },
    .compute = compute_hardmax,
};

}  // namespace octet
