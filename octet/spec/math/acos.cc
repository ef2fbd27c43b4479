// acos.cc: the meaning of Acos.
//
//   y = acos(x)
//
//   acos_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAcos = {
    .name = "Acos",
    .versions = {7, 22},
    .formula = "y = acos(x)",
    .constraints = {{"acos_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "acos_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::acos(x); }); },
    .on_elements = true,
};

}  // namespace octet
