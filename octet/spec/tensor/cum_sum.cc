// cum_sum.cc: the meaning of CumSum.
//
//   y[i] = x[0] + ... + x[i] along an axis, added from the left
//
// exclusive leaves x[i] itself out; reverse walks the axis from its end. Integers wrap around.
//
//   cum_sum_c1  x is floating point or an integer of 8 to 64 bits.
//   cum_sum_c2  The axis, the second input, is one int32 or int64 within [-rank, rank - 1].
#include "octet/spec/operators.h"
#include "octet/spec/support/cumulative.h"
#include "octet/spec/support/wrapping.h"

namespace octet {

const Operator ops::kCumSum = {
    .name = "CumSum",
    .versions = {11, 14},
    .formula = "y[i] = x[0] + ... + x[i] along an axis",
    .constraints = {{"cum_sum_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"cum_sum_c2", "the axis, the second input, is one int32 or int64 within [-rank, rank - 1]"}},
    .infer = [](Inference& i) { infer_cumulative(i, "cum_sum_c1", "cum_sum_c2"); },
    .compute = [](Call& call) { cumulate(call, 0, [](auto a, auto b) { return wrapping_add(a, b); }); },
};

}  // namespace octet
