// hard_swish.cc: the meaning of HardSwish.
//
//   y = x * max(0, min(1, x / 6 + 1/2))
//
// x / 6 is a product with the nearest number to 1/6, as in ONNX Runtime.
//
//   hard_swish_c1  x is floating point.
#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kHardSwish = {
    .name = "HardSwish",
    .versions = {14, 22},
    .formula = "y = x * max(0, min(1, x / 6 + 1/2))",
    .constraints = {{"hard_swish_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "hard_swish_c1"); },
    .compute =
        [](Call& call) {
          map_float(call, []<typename T>(T x) { return x * std::clamp(x * (T(1) / 6) + T(0.5), T(0), T(1)); });
        },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
