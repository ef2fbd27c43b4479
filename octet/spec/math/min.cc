// min.cc: the meaning of Min.
//
//   y = min(x0, x1, ...), with broadcasting
//
// NaN where any input is NaN.
//
//   min_c1  The inputs are of one type, floating point or an integer of 8 to 64 bits.
//   min_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/variadic.h"

namespace octet {
namespace {

template <typename T>
T smaller(T a, T b) {
  return a <= b || a != a ? a : b;
}

void compute_min(Call& call) {
  fold_numeric(call, [](auto a, auto b) { return smaller(a, b); });
}

}  // namespace

const Operator ops::kMin = {
    .name = "Min",
    .versions = {1, 6, 8, 12, 13},
    .formula = "y = min(x0, x1, ...)",
    .constraints = {{"min_c1", "the inputs are of one type, floating point or an integer of 8 to 64 bits"},
                    {"min_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_variadic(i, "min", TypeKind::kNumeric); },
    .compute = compute_min,
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
