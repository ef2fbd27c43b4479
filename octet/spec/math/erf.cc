// erf.cc: the meaning of Erf.
//
//   y = erf(x) = 2/sqrt(pi) * the integral of exp(-t^2) for t from 0 to x
//
// Integers are computed in double and truncated.
//
//   erf_c1  x is floating point or an integer of 8 to 64 bits.
#include <cmath>

#include "octet/spec/support/unary.h"

namespace octet {

extern const Operator kErf = {
    .name = "Erf",
    .versions = {9, 13},
    .formula = "y = erf(x) = 2/sqrt(pi) * the integral of exp(-t^2) for t from 0 to x",
    .constraints = {{"erf_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "erf_c1"); },
    .compute = [](Call& call) { map_numeric(call, []<typename T>(T x) { return static_cast<T>(std::erf(x)); }); },
    .on_elements = true,
};

}  // namespace octet
