// tan.cc: the meaning of Tan.
//
//   y = tan(x)
//
//   tan_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kTan = {
    .name = "Tan",
    .versions = {7, 22},
    .formula = "y = tan(x)",
    .constraints = {{"tan_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "tan_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::tan(x); }); },
    .on_elements = true,
};

}  // namespace octet
