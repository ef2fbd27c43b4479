// selu.cc: the meaning of Selu.
//
//   y = gamma * x where x > 0, gamma * (alpha * exp(x) - alpha) elsewhere
//
//   selu_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_selu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.67326319217681884765625F);
  const float gamma = call.attributes().get_float("gamma", 1.05070102214813232421875F);
  map_float(call, [=]<typename T>(T x) { return gamma * (x > 0 ? x : alpha * std::exp(x) - alpha); });
}

}  // namespace

const Operator ops::kSelu = {
    .name = "Selu",
    .versions = {1, 6, 22},
    .formula = "y = gamma * x where x > 0, gamma * (alpha * exp(x) - alpha) elsewhere",
    .constraints = {{"selu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "selu_c1"); },
    .compute = compute_selu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
