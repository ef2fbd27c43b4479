// c_float_sums.h: sums of float32 products as C, in the order that is their definition.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

void write_real(CStep& step, const work::FloatConvolution& work);
void write_real(CStep& step, const work::FloatProduct& work);

}  // namespace octet
