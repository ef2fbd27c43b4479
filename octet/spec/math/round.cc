// round.cc: the meaning of Round.
//
//   y = the integer nearest to x, ties to even
//
// Infinities and NaN stay themselves, and so does the sign of zero.
//
//   round_c1  x is floating point.
#include <cmath>
#include <limits>

#include "octet/spec/operators.h"
#include "octet/spec/rounding.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

template <typename T>
T rounded(T x) {
  constexpr T kAllIntegersFrom = T(1) / std::numeric_limits<T>::epsilon();
  if (!(std::abs(x) < kAllIntegersFrom)) return x;
  return std::copysign(static_cast<T>(round_ties_even(x)), x);
}

}  // namespace

const Operator ops::kRound = {
    .name = "Round",
    .versions = {11, 22},
    .formula = "y = the integer nearest to x, ties to even",
    .constraints = {{"round_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "round_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return rounded(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
