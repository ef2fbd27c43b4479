// cos.cc: the meaning of Cos.
//
//   y = cos(x)
//
//   cos_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kCos = {
    .name = "Cos",
    .versions = {7, 22},
    .formula = "y = cos(x)",
    .constraints = {{"cos_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "cos_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::cos(x); }); },
    .on_elements = true,
};

}  // namespace octet
