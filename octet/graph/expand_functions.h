// expand_functions.h: calls of functions replaced by their bodies.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// Expands calls of the model's own functions, and of the standard's functions for which Octet has no kernel, in the
// graph and its subgraphs, until none is left; `functions` is empty afterwards. Names inside a body become
// "<call>/<name>". A parameter that a call does not give and that has no default leaves the attributes that refer to it
// absent. A node of a body carries its own opset where the body imports another definition of it than the model does, and a
// name that no other node of the call has.
//
// Throws kModel on recursion and on a call with too many inputs or outputs, kLimit when the result would exceed a
// million nodes, a nesting of a hundred calls or 256 MiB of names and attributes.
Model expand_functions(Model model);

// The same for the model's own functions only. Calls of the standard's functions stay, because a file may contain them.
Model expand_own_functions(Model model);

}  // namespace octet
