// sum.cc: the meaning of Sum.
//
//   y = x0 + x1 + ..., with broadcasting
//
// Added from left to right; integers wrap around.
//
//   sum_c1  The inputs are of one type, floating point or an integer of 8 to 64 bits.
//   sum_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/variadic.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void compute_sum(Call& call) {
  fold_numeric(call, [](auto a, auto b) { return wrapping_add(a, b); });
}

}  // namespace

const Operator ops::kSum = {
    .name = "Sum",
    .versions = {1, 6, 8, 13},
    .formula = "y = x0 + x1 + ...",
    .constraints = {{"sum_c1", "the inputs are of one type, floating point or an integer of 8 to 64 bits"},
                    {"sum_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_variadic(i, "sum", TypeKind::kNumeric); },
    .compute = compute_sum,
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
