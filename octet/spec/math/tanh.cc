// tanh.cc: the meaning of Tanh.
//
//   y = tanh(x)
//
//   tanh_c1  x is floating point.
#include <cmath>

#include "octet/spec/support/unary.h"

namespace octet {

extern const Operator kTanh = {
    .name = "Tanh",
    .versions = {1, 6, 13},
    .formula = "y = tanh(x)",
    .constraints = {{"tanh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "tanh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::tanh(x); }); },
    .on_elements = true,
};

}  // namespace octet
