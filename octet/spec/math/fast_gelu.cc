// fast_gelu.cc: the meaning of com.microsoft FastGelu.
//
//   y = v/2 * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3))),      v = x + bias, or x without one
//
// In float32 as ONNX Runtime computes it, to the last bit (support/gelu.h).
//
//   fast_gelu_c1  x is floating point.
//   fast_gelu_c2  bias has x's type, and one element for each of x's last dimension.
#include "octet/spec/operators.h"
#include "octet/spec/support/gelu.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_fast_gelu(Inference& i) {
  infer_unary(i, TypeKind::kFloat, "fast_gelu_c1");
  require_last_bias(i, "fast_gelu_c2");
}

void compute_fast_gelu(Call& call) {
  map_with_bias(call, [](auto x) { return gelu_by_tanh(x); });
}

}  // namespace

const Operator ops::kFastGelu = {
    .name = "FastGelu",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = v/2 * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3))), v = x + bias",
    .constraints = {{"fast_gelu_c1", "x is floating point"},
                    {"fast_gelu_c2", "bias has x's type, and one element for each of x's last dimension"}},
    .infer = infer_fast_gelu,
    .compute = compute_fast_gelu,
    .on_elements = true,
};

}  // namespace octet
