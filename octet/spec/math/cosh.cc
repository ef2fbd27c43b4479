// cosh.cc: the meaning of Cosh.
//
//   y = cosh(x)
//
//   cosh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kCosh = {
    .name = "Cosh",
    .versions = {9, 22},
    .formula = "y = cosh(x)",
    .constraints = {{"cosh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "cosh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::cosh(x); }); },
    .on_elements = true,
};

}  // namespace octet
