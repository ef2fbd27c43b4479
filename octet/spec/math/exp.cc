// exp.cc: the meaning of Exp.
//
//   y = exp(x)
//
//   exp_c1  x is floating point.
#include <cmath>

#include "octet/spec/support/unary.h"

namespace octet {

extern const Operator kExp = {
    .name = "Exp",
    .versions = {1, 6, 13},
    .formula = "y = exp(x)",
    .constraints = {{"exp_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "exp_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::exp(x); }); },
    .on_elements = true,
};

}  // namespace octet
