// mod.cc: the meaning of Mod.
//
//   c = a - b * floor(a / b), of b's sign          fmod = 0, the default
//   c = a - b * trunc(a / b), of a's sign          fmod = 1
//
// with broadcasting. An integer modulo zero gives 0, a floating-point number NaN, and so does an infinite a. The
// floating-point result is exact, but for fmod = 0 where the signs differ: fmod(a, b) + b is rounded once. A zero has
// the sign of b there, and an infinite b gives a, or b where a has the other sign.
//
//   mod_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   mod_c2  The shapes broadcast.
//   mod_c3  fmod is 0 or 1; before opset 28 it is 1 where a and b are floating point.
#include <cmath>
#include <type_traits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {
namespace {

constexpr int kFloatFloorOpset = 28;

void infer_mod(Inference& i) {
  infer_binary(i, "mod", TypeKind::kNumeric);
  const std::int64_t fmod = i.attributes().get_int("fmod", 0);
  const bool floors = i.opset() >= kFloatFloorOpset || !is_float(i.dtype(0));
  if (fmod != 1 && !(fmod == 0 && floors))
    fail_constraint("mod_c3", "fmod is {} and the inputs are {} in opset {}, wanted {}", fmod, name(i.dtype(0)),
                    i.opset(), floors ? "0 or 1" : "1");
}

template <typename T>
T remainder(T a, T b, bool sign_of_divisor) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (!sign_of_divisor || std::isnan(rest)) return rest;
    if (rest == 0) return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;  // the smallest integer divided by -1 traps
    }
    const T rest = static_cast<T>(a % b);
    return sign_of_divisor && rest != 0 && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
  }
}

void compute_mod(Call& call) {
  const bool sign_of_divisor = call.attributes().get_int("fmod", 0) == 0;
  zip_numeric(call, [=](auto a, auto b) { return remainder(a, b, sign_of_divisor); });
}

}  // namespace

const Operator ops::kMod = {
    .name = "Mod",
    .versions = {10, 13, 28},
    .formula = "c = a - b * floor(a / b), or with trunc where fmod is 1",
    .constraints = {{"mod_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"mod_c2", "the shapes broadcast"},
                    {"mod_c3", "fmod is 0 or 1; before opset 28 it is 1 where a and b are floating point"}},
    .infer = infer_mod,
    .compute = compute_mod,
    .on_elements = true,
};

}  // namespace octet
