// bias_gelu.cc: the meaning of com.microsoft BiasGelu.
//
//   c = v/2 * (1 + erf(v / sqrt(2))),      v = a + b
//
//   bias_gelu_c1  a is floating point.
//   bias_gelu_c2  b has a's type, and one element for each of a's last dimension.
#include "octet/spec/operators.h"
#include "octet/spec/support/gelu.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_bias_gelu(Inference& i) {
  infer_unary(i, TypeKind::kFloat, "bias_gelu_c1");
  i.input(1);
  require_last_bias(i, "bias_gelu_c2");
}

void compute_bias_gelu(Call& call) {
  map_with_bias(call, []<typename T>(T x) { return gelu(x); });
}

}  // namespace

const Operator ops::kBiasGelu = {
    .name = "BiasGelu",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "c = v/2 * (1 + erf(v / sqrt(2))), v = a + b",
    .constraints = {{"bias_gelu_c1", "a is floating point"},
                    {"bias_gelu_c2", "b has a's type, and one element for each of a's last dimension"}},
    .infer = infer_bias_gelu,
    .compute = compute_bias_gelu,
    .on_elements = true,
};

}  // namespace octet
