// reciprocal.cc: the meaning of Reciprocal.
//
//   y = 1 / x
//
//   reciprocal_c1  x is floating point.
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kReciprocal = {
    .name = "Reciprocal",
    .versions = {1, 6, 13},
    .formula = "y = 1 / x",
    .constraints = {{"reciprocal_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "reciprocal_c1"); },
    .compute = [](Call& call) { map_float(call, []<typename T>(T x) { return T(1) / x; }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
