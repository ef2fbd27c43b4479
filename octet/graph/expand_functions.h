// expand_functions.h: calls of functions replaced by their bodies.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// Expands calls of the model's own functions, and of the standard's functions for which Octet has no kernel, until none
// is left; `functions` is empty afterwards. Names inside a body become "<call>/<name>". Throws kModel on recursion, an
// attribute without value, or a call with too many inputs; kLimit when the result would exceed a million nodes.
Model expand_functions(Model model);

}  // namespace octet
