// c_chains.h: steps of several operations on elements, as C: the bytes of 16 bits, and what joins their sums.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

bool is_c_chain(const Step& step);

// One loop over all elements; each operation is a line of it. Integers wrap.
void write_chain(CStep& to, const Step& step);

}  // namespace octet
