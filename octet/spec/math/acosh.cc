// acosh.cc: the meaning of Acosh.
//
//   y = acosh(x)
//
//   acosh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAcosh = {
    .name = "Acosh",
    .versions = {9, 22},
    .formula = "y = acosh(x)",
    .constraints = {{"acosh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "acosh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::acosh(x); }); },
    .on_elements = true,
};

}  // namespace octet
