// mish.cc: the meaning of Mish.
//
//   y = x * tanh(log(exp(x) + 1))
//
//   mish_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/softplus.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kMish = {
    .name = "Mish",
    .versions = {18, 22},
    .formula = "y = x * tanh(log(exp(x) + 1))",
    .constraints = {{"mish_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "mish_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return x * std::tanh(softplus(x)); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
