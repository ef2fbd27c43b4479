// moves_elements.h: what puts elements in other places and computes nothing.
#pragma once

#include "octet/spec/attributes.h"
#include "octet/spec/operator.h"

namespace octet {

// Whether each element of the result is one of the inputs of Role::kMoved, or what Role::kFill says. Not so where Resize
// interpolates, or puts a number of its own beyond the border.
bool moves_elements(const Operator& op, const Attributes& attributes);

// Whether it is also one tensor whose elements are moved, and whose elements all results have: no part is put behind another.
bool moves_one_tensor(const Operator& op, const Attributes& attributes);

}  // namespace octet
