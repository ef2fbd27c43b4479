// cast.cc: the meaning of Cast.
//
//   y = x in the type `to`
//
// Floating point to integer drops the fraction; outside the type it does what x86 does: up to 32 bits (but for uint32)
// through int32, whose minimum stands for everything that does not fit, then the low bits; the others through int64.
// Integer to narrower integer keeps the low bits. Anything to bool is x != 0. To float16 and bfloat16: to nearest, ties
// to even; overflow gives infinity. To float8 and float4: to nearest, ties to even; overflow gives the largest number, or
// infinity or NaN where `saturate` is 0. To float8e8m0: to a power of two by `round_mode` (base/minifloat.h has both). From
// them: through float32, which holds their numbers. Strings are not converted.
//
//   cast_c1  `to` is a type of the format.
//   cast_c2  round_mode is up, down or nearest.
#include "octet/spec/support/cast.h"

#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_cast(Inference& i) {
  const std::int64_t to = i.attributes().get_int("to", 0);
  if (to <= 0 || to >= kDTypeCount) fail_constraint("cast_c1", "to is {}, wanted 1 to {}", to, kDTypeCount - 1);
  infer_cast(i, static_cast<DType>(to));
}

}  // namespace

const Operator ops::kCast = {
    .name = "Cast",
    .versions = {1, 6, 9, 13, 19, 21, 23, 24, 25, 28},
    .formula = "y = x in the type `to`",
    .constraints = {{"cast_c1", "`to` is a type of the format"}, {"cast_c2", "round_mode is up, down or nearest"}},
    .infer = infer_cast,
    .compute = compute_cast,
    .halves = Halves::kAsIs,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
