// atanh.cc: the meaning of Atanh.
//
//   y = atanh(x)
//
//   atanh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAtanh = {
    .name = "Atanh",
    .versions = {9, 22},
    .formula = "y = atanh(x)",
    .constraints = {{"atanh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "atanh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::atanh(x); }); },
    .on_elements = true,
};

}  // namespace octet
