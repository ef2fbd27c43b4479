// max.cc: the meaning of Max.
//
//   y = max(x0, x1, ...), with broadcasting
//
// NaN where any input is NaN.
//
//   max_c1  The inputs are of one type, floating point or an integer of 8 to 64 bits.
//   max_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/variadic.h"

namespace octet {
namespace {

template <typename T>
T larger(T a, T b) {
  return a >= b || a != a ? a : b;
}

void compute_max(Call& call) {
  fold_numeric(call, [](auto a, auto b) { return larger(a, b); });
}

}  // namespace

const Operator ops::kMax = {
    .name = "Max",
    .versions = {1, 6, 8, 12, 13},
    .formula = "y = max(x0, x1, ...)",
    .constraints = {{"max_c1", "the inputs are of one type, floating point or an integer of 8 to 64 bits"},
                    {"max_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_variadic(i, "max", TypeKind::kNumeric); },
    .compute = compute_max,
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
