// minifloat.h: float8 and float4 pass shape rules, so that models with them can be shown; kernels refuse them.
#pragma once

#include "octet/spec/operator.h"

namespace octet {

// Throws kUnsupported when an input or output has a float8 or float4 type.
void refuse_minifloat(const Call& call);

}  // namespace octet
