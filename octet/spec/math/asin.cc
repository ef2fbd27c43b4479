// asin.cc: the meaning of Asin.
//
//   y = asin(x)
//
//   asin_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kAsin = {
    .name = "Asin",
    .versions = {7, 22},
    .formula = "y = asin(x)",
    .constraints = {{"asin_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "asin_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::asin(x); }); },
    .on_elements = true,
};

}  // namespace octet
