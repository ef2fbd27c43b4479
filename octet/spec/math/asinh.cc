// asinh.cc: the meaning of Asinh.
//
//   y = asinh(x)
//
//   asinh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAsinh = {
    .name = "Asinh",
    .versions = {9, 22},
    .formula = "y = asinh(x)",
    .constraints = {{"asinh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "asinh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::asinh(x); }); },
    .on_elements = true,
};

}  // namespace octet
