// c_float_pools.h: pools that sum in float as C.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

void write_real(CStep& step, const work::FloatPool& work);
// An average of windows of integers, which is a float32 sum.
void write_real(CStep& step, const work::Pool& work);

}  // namespace octet
