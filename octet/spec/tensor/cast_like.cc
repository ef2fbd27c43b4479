// cast_like.cc: the meaning of CastLike.
//
//   y = x in the type of the second input, converted as Cast does
#include "octet/spec/operators.h"
#include "octet/spec/support/cast.h"

namespace octet {

const Operator ops::kCastLike = {
    .name = "CastLike",
    .versions = {15, 19, 21, 23, 24, 25},
    .formula = "y = x in the type of the second input",
    .infer = [](Inference& i) { infer_cast(i, i.dtype(1)); },
    .compute = compute_cast,
    .halves = Halves::kAsIs,
    .on_elements = true,
};

}  // namespace octet
