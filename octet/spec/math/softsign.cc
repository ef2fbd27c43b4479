// softsign.cc: the meaning of Softsign.
//
//   y = x / (1 + |x|)
//
//   softsign_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kSoftsign = {
    .name = "Softsign",
    .versions = {1, 22},
    .formula = "y = x / (1 + |x|)",
    .constraints = {{"softsign_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "softsign_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return x / (1 + std::abs(x)); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
