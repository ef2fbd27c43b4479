// arg_max.cc: the meaning of ArgMax.
//
//   y = the index of the maximum of x along axis
//
// the first of equals, or the last with select_last_index = 1. NaN is never chosen unless it comes first.
#include "octet/spec/operators.h"
#include "octet/spec/support/arg_extreme.h"

namespace octet {
namespace {

void infer_arg_max(Inference& i) { infer_arg_extreme(i, "arg_max_c1", "arg_max_c2"); }

void compute_arg_max(Call& call) {
  arg_extreme(call, [](auto a, auto b) { return a > b; });
}

}  // namespace

const Operator ops::kArgMax = {
    .name = "ArgMax",
    .versions = {1, 11, 12, 13},
    .formula = "y = the index of the maximum of x along axis",
    .constraints = {{"arg_max_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"arg_max_c2", "axis is in [-rank, rank - 1] and not empty"}},
    .infer = infer_arg_max,
    .compute = compute_arg_max,
};

}  // namespace octet
