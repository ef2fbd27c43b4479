// cum_prod.cc: the meaning of CumProd.
//
//   y[i] = x[0] * ... * x[i] along an axis, multiplied from the left
//
// exclusive leaves x[i] itself out, so that y[0] is 1; reverse walks the axis from its end. Integers wrap around.
//
//   cum_prod_c1  x is floating point or an integer of 8 to 64 bits.
//   cum_prod_c2  The axis, the second input, is one int32 or int64 within [-rank, rank - 1].
#include "octet/spec/operators.h"
#include "octet/spec/support/cumulative.h"
#include "octet/spec/support/wrapping.h"

namespace octet {

const Operator ops::kCumProd = {
    .name = "CumProd",
    .versions = {26},
    .formula = "y[i] = x[0] * ... * x[i] along an axis",
    .constraints = {{"cum_prod_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"cum_prod_c2", "the axis, the second input, is one int32 or int64 within [-rank, rank - 1]"}},
    .infer = [](Inference& i) { infer_cumulative(i, "cum_prod_c1", "cum_prod_c2"); },
    .compute = [](Call& call) { cumulate(call, 1, [](auto a, auto b) { return wrapping_multiply(a, b); }); },
};

}  // namespace octet
