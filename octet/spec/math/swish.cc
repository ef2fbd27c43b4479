// swish.cc: the meaning of Swish.
//
//   y = x * sigmoid(alpha * x) = x / (1 + exp(-alpha * x))
//
//   swish_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_swish(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.0F);
  map_float(call, [=]<typename T>(T x) { return x / (1 + std::exp(-alpha * x)); });
}

}  // namespace

const Operator ops::kSwish = {
    .name = "Swish",
    .versions = {24},
    .formula = "y = x * sigmoid(alpha * x) = x / (1 + exp(-alpha * x))",
    .constraints = {{"swish_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "swish_c1"); },
    .compute = compute_swish,
    .on_elements = true,
};

}  // namespace octet
