// exp.cc: the meaning of Exp.
//
//   y = exp(x)
//
// float32 is ONNX Runtime's approximation (ort_exp.h), to the last bit; float64 is libm's.
//
//   exp_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/ort_exp.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

float exp_of(float x) { return ort_exp(x); }
double exp_of(double x) { return std::exp(x); }

}  // namespace

const Operator ops::kExp = {
    .name = "Exp",
    .versions = {1, 6, 13},
    .formula = "y = exp(x)",
    .constraints = {{"exp_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "exp_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return exp_of(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
