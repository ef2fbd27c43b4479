// atan.cc: the meaning of Atan.
//
//   y = atan(x)
//
//   atan_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAtan = {
    .name = "Atan",
    .versions = {7, 22},
    .formula = "y = atan(x)",
    .constraints = {{"atan_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "atan_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::atan(x); }); },
    .on_elements = true,
};

}  // namespace octet
