// place_tensors.h: where the accelerator's tensors lie.
#pragma once

#include "octet/export/accelerator.h"

namespace octet {

inline constexpr int kImageBank = 2;

// Gives every tensor that a step makes a bank and a first word, sets the sizes of the banks, and says which step is the last
// to read the image. The operands of an addition lie in different banks. Throws kUnsupported where that can't be.
void place_tensors(Accelerator& accelerator);

}  // namespace octet
