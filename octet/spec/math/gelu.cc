// gelu.cc: the meaning of Gelu.
//
//   y = x/2 * (1 + erf(x / sqrt(2)))                                   approximate = "none", the default
//   y = x/2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))          approximate = "tanh"
//
//   gelu_c1  x is floating point.
//   gelu_c2  approximate is "none" or "tanh".
#include <cmath>
#include <numbers>

#include "octet/spec/check.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_gelu(Inference& i) {
  infer_unary(i, TypeKind::kFloat, "gelu_c1");
  const std::string approximate = i.attributes().get_string("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    fail_constraint("gelu_c2", "approximate is \"{}\", wanted \"none\" or \"tanh\"", approximate);
}

void compute_gelu(Call& call) {
  if (call.attributes().get_string("approximate", "none") == "tanh") {
    const double root = std::sqrt(2 * std::numbers::inv_pi);
    map_float(call, [=]<typename T>(T x) {
      return x / 2 * (1 + std::tanh(static_cast<T>(root) * (x + T(0.044715) * x * x * x)));
    });
  } else {
    const double root = std::numbers::sqrt2 / 2;
    map_float(call, [=]<typename T>(T x) { return x / 2 * (1 + std::erf(x * static_cast<T>(root))); });
  }
}

}  // namespace

extern const Operator kGelu = {
    .name = "Gelu",
    .versions = {20},
    .formula = "y = x/2 * (1 + erf(x / sqrt(2)))",
    .constraints = {{"gelu_c1", "x is floating point"}, {"gelu_c2", "approximate is \"none\" or \"tanh\""}},
    .infer = infer_gelu,
    .compute = compute_gelu,
    .on_elements = true,
};

}  // namespace octet
