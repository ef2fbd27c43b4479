// arg_min.cc: the meaning of ArgMin.
//
//   y = the index of the minimum of x along axis
//
// the first of equals, or the last with select_last_index = 1. NaN is never chosen unless it comes first.
#include "octet/spec/operators.h"
#include "octet/spec/support/arg_extreme.h"

namespace octet {
namespace {

void infer_arg_min(Inference& i) { infer_arg_extreme(i, "arg_min_c1", "arg_min_c2"); }

void compute_arg_min(Call& call) {
  arg_extreme(call, [](auto a, auto b) { return a < b; });
}

}  // namespace

const Operator ops::kArgMin = {
    .name = "ArgMin",
    .versions = {1, 11, 12, 13},
    .formula = "y = the index of the minimum of x along axis",
    .constraints = {{"arg_min_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"arg_min_c2", "axis is in [-rank, rank - 1] and not empty"}},
    .infer = infer_arg_min,
    .compute = compute_arg_min,
};

}  // namespace octet
