// sin.cc: the meaning of Sin.
//
//   y = sin(x)
//
//   sin_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kSin = {
    .name = "Sin",
    .versions = {7, 22},
    .formula = "y = sin(x)",
    .constraints = {{"sin_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "sin_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::sin(x); }); },
    .on_elements = true,
};

}  // namespace octet
