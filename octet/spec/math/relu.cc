// relu.cc: the meaning of Relu.
//
//   y = max(x, 0)
//
// NaN stays NaN.
//
//   relu_c1  x is floating point or an integer of 8 to 64 bits.
#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kRelu = {
    .name = "Relu",
    .versions = {1, 6, 13, 14},
    .formula = "y = max(x, 0)",
    .constraints = {{"relu_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "relu_c1"); },
    .compute = [](Call& call) { map_numeric(call, []<typename T>(T x) { return std::max(x, T(0)); }); },
    .on_elements = true,
    .traits = {Trait::kClamp, Trait::kFunction},
};

}  // namespace octet
