// byte_reuse.h: which results need no bytes of their own.
#pragma once

#include "octet/program/program.h"

namespace octet {

// Whether the first output has the bytes of the first input, under another shape or name.
bool renames_bytes(const Operation& operation);

// Whether an element of `result`, a value that the step makes, depends on the element of `input` in the same position
// and on no other of its elements, and so does all that leads from one to the other. Then the step may write `result`
// over `input`, computing element by element in any order, or one operation after the other.
bool may_overwrite(const Program& program, const Step& step, ValueId input, ValueId result);

}  // namespace octet
