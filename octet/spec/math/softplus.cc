// softplus.cc: the meaning of Softplus.
//
//   y = log(exp(x) + 1)
//
//   softplus_c1  x is floating point.
#include "octet/spec/support/softplus.h"

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kSoftplus = {
    .name = "Softplus",
    .versions = {1, 22},
    .formula = "y = log(exp(x) + 1)",
    .constraints = {{"softplus_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "softplus_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return softplus(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
