// div.cc: the meaning of Div.
//
//   c = a / b, with broadcasting
//
// Integers are truncated toward zero; an integer divided by zero gives 0, and the smallest signed integer divided by
// -1 gives itself.
//
//   div_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   div_c2  The shapes broadcast.
#include <type_traits>

#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

template <typename T>
T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return wrapping_subtract(T(0), a);
    }
  }
  return static_cast<T>(a / b);
}

Dim divided(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  return a.known() && b.known() ? Dim(quotient(a.value(), b.value())) : Dim();
}

void infer_div(Inference& i) {
  infer_binary(i, "div", TypeKind::kNumeric);
  propagate_elements(i, divided);
}

}  // namespace

const Operator ops::kDiv = {
    .name = "Div",
    .versions = {1, 6, 7, 13, 14},
    .turns = {7},
    .formula = "c = a / b",
    .constraints = {{"div_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"div_c2", "the shapes broadcast"}},
    .infer = infer_div,
    .compute = [](Call& call) { zip_numeric(call, [](auto a, auto b) { return quotient(a, b); }); },
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
