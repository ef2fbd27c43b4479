// shrink.cc: the meaning of Shrink.
//
//   y = x + bias where x < -lambd, else x - bias where x > lambd, else 0
//
// Integers are compared and moved in float32, as ONNX Runtime does it, then truncated toward zero and saturated: they have no
// negative threshold of their own type when they are unsigned.
//
//   shrink_c1  x is floating point or an integer of 8 to 64 bits.
#include "octet/spec/operators.h"
#include "octet/spec/support/saturated.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void compute_shrink(Call& call) {
  const float bias = call.attributes().get_float("bias", 0.0F), lambd = call.attributes().get_float("lambd", 0.5F);
  map_numeric(call, [=]<typename T>(T x) {
    using Real = std::conditional_t<std::is_floating_point_v<T>, T, float>;
    const auto real = static_cast<Real>(x), step = static_cast<Real>(bias), limit = static_cast<Real>(lambd);
    const Real y = real < -limit ? real + step : real > limit ? real - step : Real(0);
    if constexpr (std::is_floating_point_v<T>)
      return y;
    else
      return saturated<T>(static_cast<double>(y));
  });
}

}  // namespace

const Operator ops::kShrink = {
    .name = "Shrink",
    .versions = {9},
    .formula = "y = x + bias where x < -lambd, x - bias where x > lambd, 0 elsewhere",
    .constraints = {{"shrink_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "shrink_c1"); },
    .compute = compute_shrink,
    .on_elements = true,
};

}  // namespace octet
