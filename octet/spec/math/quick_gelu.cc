// quick_gelu.cc: the meaning of com.microsoft QuickGelu.
//
//   y = x * sigmoid(alpha * x)
//
// In float32 the sigmoid is ONNX Runtime's approximation (ort_sigmoid.h); float64 is computed as written.
//
//   quick_gelu_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/ort_sigmoid.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

float quick_gelu(float x, float alpha) { return x * ort_sigmoid(alpha * x); }
double quick_gelu(double x, float alpha) { return x / (1 + std::exp(-static_cast<double>(alpha) * x)); }

void compute_quick_gelu(Call& call) {
  const float alpha = call.attributes().get_float("alpha", 1.702F);
  map_float(call, [=](auto x) { return quick_gelu(x, alpha); });
}

}  // namespace

const Operator ops::kQuickGelu = {
    .name = "QuickGelu",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = x * sigmoid(alpha * x)",
    .constraints = {{"quick_gelu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "quick_gelu_c1"); },
    .compute = compute_quick_gelu,
    .on_elements = true,
};

}  // namespace octet
