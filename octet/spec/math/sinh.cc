// sinh.cc: the meaning of Sinh.
//
//   y = sinh(x)
//
//   sinh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kSinh = {
    .name = "Sinh",
    .versions = {9, 22},
    .formula = "y = sinh(x)",
    .constraints = {{"sinh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "sinh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::sinh(x); }); },
    .on_elements = true,
};

}  // namespace octet
