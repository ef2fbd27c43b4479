// cast.h: what Cast and CastLike share.
#pragma once

#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// The first output is the first input as `to`. Throws kUnsupported unless both are types that Octet converts, and
// kConstraint for a round_mode that is none.
void infer_cast(Inference& i, DType to);

void compute_cast(Call& call);

}  // namespace octet
