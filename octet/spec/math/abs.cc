// abs.cc: the meaning of Abs.
//
//   y = |x|
//
// The smallest signed integer, whose magnitude its type does not hold, stays itself.
//
//   abs_c1  x is floating point or an integer of 8 to 64 bits.
#include <cmath>
#include <type_traits>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

template <typename T>
T magnitude(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (std::is_integral_v<T>)
    return x < 0 ? wrapping_subtract(T(0), x) : x;
  else
    return std::abs(x);
}

}  // namespace

const Operator ops::kAbs = {
    .name = "Abs",
    .versions = {1, 6, 13},
    .formula = "y = |x|",
    .constraints = {{"abs_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "abs_c1"); },
    .compute = [](Call& call) { map_numeric(call, [](auto x) { return magnitude(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
