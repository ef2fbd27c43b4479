// elu.cc: the meaning of Elu.
//
//   y = x where x >= 0, alpha * (exp(x) - 1) elsewhere
//
//   elu_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_elu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.0F);
  map_float(call, [=]<typename T>(T x) { return x >= 0 ? x : alpha * (std::exp(x) - 1); });
}

}  // namespace

const Operator ops::kElu = {
    .name = "Elu",
    .versions = {1, 6, 22},
    .formula = "y = x where x >= 0, alpha * (exp(x) - 1) elsewhere",
    .constraints = {{"elu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "elu_c1"); },
    .compute = compute_elu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
