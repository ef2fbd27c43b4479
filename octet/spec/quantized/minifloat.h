// minifloat.h: QLinearMatMul of float8 passes its shape rule, so that models with it can be shown; its kernel refuses it.
#pragma once

#include "octet/spec/operator.h"

namespace octet {

// Throws kUnsupported when an input or output has a float8 or float4 type.
void refuse_minifloat(const Call& call);

}  // namespace octet
