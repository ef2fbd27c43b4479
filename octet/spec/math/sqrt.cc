// sqrt.cc: the meaning of Sqrt.
//
//   y = sqrt(x)
//
//   sqrt_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kSqrt = {
    .name = "Sqrt",
    .versions = {1, 6, 13},
    .formula = "y = sqrt(x)",
    .constraints = {{"sqrt_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "sqrt_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::sqrt(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
