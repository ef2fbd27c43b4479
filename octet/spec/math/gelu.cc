// gelu.cc: the meaning of Gelu.
//
//   y = x/2 * (1 + erf(x / sqrt(2)))                                   approximate = "none", the default
//   y = x/2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))          approximate = "tanh"
//
// That of com.microsoft is the first; it has no attribute.
//
//   gelu_c1  x is floating point.
//   gelu_c2  approximate is "none" or "tanh".
#include "octet/spec/support/gelu.h"

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_gelu(Inference& i) {
  infer_unary(i, TypeKind::kFloat, "gelu_c1");
  const std::string approximate = i.attributes().get_string("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    fail_constraint("gelu_c2", "approximate is \"{}\", wanted \"none\" or \"tanh\"", approximate);
}

void compute_exact_gelu(Call& call) {
  map_float(call, []<typename T>(T x) { return gelu(x); });
}

void compute_gelu(Call& call) {
  if (call.attributes().get_string("approximate", "none") == "tanh")
    map_float(call, [](auto x) { return gelu_by_tanh(x); });
  else
    compute_exact_gelu(call);
}

}  // namespace

const Operator ops::kGelu = {
    .name = "Gelu",
    .versions = {20},
    .formula = "y = x/2 * (1 + erf(x / sqrt(2)))",
    .constraints = {{"gelu_c1", "x is floating point"}, {"gelu_c2", "approximate is \"none\" or \"tanh\""}},
    .infer = infer_gelu,
    .compute = compute_gelu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

const Operator ops::kMicrosoftGelu = {
    .name = "Gelu",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = x/2 * (1 + erf(x / sqrt(2)))",
    .constraints = {{"gelu_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "gelu_c1"); },
    .compute = compute_exact_gelu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
