// celu.cc: the meaning of Celu.
//
//   y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
//
//   celu_c1  x is floating point.
#include <algorithm>
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_celu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.0F);
  map_float(call,
            [=]<typename T>(T x) { return std::max(x, T(0)) + std::min(alpha * (std::exp(x / alpha) - 1), T(0)); });
}

}  // namespace

const Operator ops::kCelu = {
    .name = "Celu",
    .versions = {12, 28},
    .formula = "y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))",
    .constraints = {{"celu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "celu_c1"); },
    .compute = compute_celu,
    .on_elements = true,
};

}  // namespace octet
