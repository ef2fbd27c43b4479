// thresholded_relu.cc: the meaning of ThresholdedRelu.
//
//   y = x where x > alpha, 0 elsewhere
//
//   thresholded_relu_c1  x is floating point.
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_thresholded_relu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.0F);
  map_float(call, [=]<typename T>(T x) { return x > alpha ? x : T(0); });
}

}  // namespace

const Operator ops::kThresholdedRelu = {
    .name = "ThresholdedRelu",
    .versions = {10, 22},
    .formula = "y = x where x > alpha, 0 elsewhere",
    .constraints = {{"thresholded_relu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "thresholded_relu_c1"); },
    .compute = compute_thresholded_relu,
    .on_elements = true,
};

}  // namespace octet
