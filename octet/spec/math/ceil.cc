// ceil.cc: the meaning of Ceil.
//
//   y = ceil(x)
//
//   ceil_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kCeil = {
    .name = "Ceil",
    .versions = {1, 6, 13},
    .formula = "y = ceil(x)",
    .constraints = {{"ceil_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "ceil_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::ceil(x); }); },
    .on_elements = true,
};

}  // namespace octet
