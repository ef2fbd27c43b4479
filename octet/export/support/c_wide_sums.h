// c_wide_sums.h: what stands around the sums of operands of 16 bits, as C: the bytes of an operand, and the joined sum.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

void write_split(CStep& step, const work::SplitBytes& work);
void write_joined_sum(CStep& step, const work::JoinedSum& work);

}  // namespace octet
