// sigmoid.cc: the meaning of Sigmoid.
//
//   y = 1 / (1 + exp(-x))
//
// float32 is ONNX Runtime's approximation (ort_sigmoid.h), to the last bit; float64 is computed as written.
//
//   sigmoid_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/ort_sigmoid.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

float sigmoid(float x) { return ort_sigmoid(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

const Operator ops::kSigmoid = {
    .name = "Sigmoid",
    .versions = {1, 6, 13},
    .formula = "y = 1 / (1 + exp(-x))",
    .constraints = {{"sigmoid_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "sigmoid_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return sigmoid(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
