// hard_sigmoid.cc: the meaning of HardSigmoid.
//
//   y = max(0, min(1, alpha * x + beta))
//
//   hard_sigmoid_c1  x is floating point.
#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_hard_sigmoid(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 0.2F);
  const float beta = call.attributes().get_float("beta", 0.5F);
  map_float(call, [=]<typename T>(T x) { return std::clamp(alpha * x + beta, T(0), T(1)); });
}

}  // namespace

const Operator ops::kHardSigmoid = {
    .name = "HardSigmoid",
    .versions = {1, 6, 22},
    .formula = "y = max(0, min(1, alpha * x + beta))",
    .constraints = {{"hard_sigmoid_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "hard_sigmoid_c1"); },
    .compute = compute_hard_sigmoid,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
