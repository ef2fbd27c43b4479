// leaky_relu.cc: the meaning of LeakyRelu.
//
//   y = x where x >= 0, alpha * x elsewhere
//
//   leaky_relu_c1  x is floating point.
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_leaky_relu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 0.01F);
  map_float(call, [=]<typename T>(T x) { return x >= 0 ? x : alpha * x; });
}

}  // namespace

const Operator ops::kLeakyRelu = {
    .name = "LeakyRelu",
    .versions = {1, 6, 16},
    .formula = "y = x where x >= 0, alpha * x elsewhere",
    .constraints = {{"leaky_relu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "leaky_relu_c1"); },
    .compute = compute_leaky_relu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
