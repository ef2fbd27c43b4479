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
  normalize_lanes(call,
                  []<typename T>(const Lanes& lanes, std::int64_t begin, std::int64_t end, const T* all_x, T* all_y) {
                    for (std::int64_t lane = begin; lane < end; ++lane) {
                      const T* x = all_x + lanes.start(lane);
                      T* y = all_y + lanes.start(lane);
                      std::int64_t largest = 0;
                      for (std::int64_t k = 1; k < lanes.length; ++k)
                        if (x[k * lanes.step] > x[largest * lanes.step]) largest = k;
                      for (std::int64_t k = 0; k < lanes.length; ++k) y[k * lanes.step] = k == largest ? T(1) : T(0);
                    }
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
