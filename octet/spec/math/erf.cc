// erf.cc: the meaning of Erf.
//
//   y = erf(x) = 2/sqrt(pi) * the integral of exp(-t^2) for t from 0 to x
//
// float32 is ONNX Runtime's approximation (ort_erf.h), to the last bit; float64 is libm's. Integers are computed in
// double and truncated.
//
//   erf_c1  x is floating point or an integer of 8 to 64 bits.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/ort_erf.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

template <typename T>
T erf_of(T x) {
  if constexpr (std::is_same_v<T, float>)
    return ort_erf(x);
  else
    return static_cast<T>(std::erf(x));
}

}  // namespace

const Operator ops::kErf = {
    .name = "Erf",
    .versions = {9, 13},
    .formula = "y = erf(x) = 2/sqrt(pi) * the integral of exp(-t^2) for t from 0 to x",
    .constraints = {{"erf_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "erf_c1"); },
    .compute = [](Call& call) { map_numeric(call, [](auto x) { return erf_of(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
