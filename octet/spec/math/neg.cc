// neg.cc: the meaning of Neg.
//
//   y = -x
//
// Integers wrap: the smallest signed integer stays itself.
//
//   neg_c1  x is floating point or an integer of 8 to 64 bits.
#include <type_traits>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

template <typename T>
T negated(T x) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_subtract(T(0), x);
  else
    return -x;
}

}  // namespace

const Operator ops::kNeg = {
    .name = "Neg",
    .versions = {1, 6, 13},
    .formula = "y = -x",
    .constraints = {{"neg_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "neg_c1"); },
    .compute = [](Call& call) { map_numeric(call, [](auto x) { return negated(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
