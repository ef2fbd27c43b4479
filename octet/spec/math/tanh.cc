// tanh.cc: the meaning of Tanh.
//
//   y = tanh(x)
//
// float32 is ONNX Runtime's approximation (ort_tanh.h), to the last bit; float64 is libm's.
//
//   tanh_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/ort_tanh.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

float tanh_of(float x) { return ort_tanh(x); }
double tanh_of(double x) { return std::tanh(x); }

}  // namespace

const Operator ops::kTanh = {
    .name = "Tanh",
    .versions = {1, 6, 13},
    .formula = "y = tanh(x)",
    .constraints = {{"tanh_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "tanh_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return tanh_of(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
