// sign.cc: the meaning of Sign.
//
//   y = -1, 0 or 1 where x is negative, zero or positive
//
// NaN stays NaN.
//
//   sign_c1  x is floating point or an integer of 8 to 64 bits.
#include <type_traits>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

template <typename T>
T sign(T x) {
  if constexpr (std::is_signed_v<T>) {
    if (x < 0) return T(-1);
  }
  return x > 0 ? T(1) : x;  // zero or NaN
}

}  // namespace

const Operator ops::kSign = {
    .name = "Sign",
    .versions = {9, 13},
    .formula = "y = -1, 0 or 1 where x is negative, zero or positive",
    .constraints = {{"sign_c1", "x is floating point or an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kNumeric, "sign_c1"); },
    .compute = [](Call& call) { map_numeric(call, [](auto x) { return sign(x); }); },
    .on_elements = true,
};

}  // namespace octet
