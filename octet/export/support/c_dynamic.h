// c_dynamic.h: sums of integers whose scale and zero point are computed at run time, and their way to float32.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

// Why C can't have it; empty: it can.
std::string dynamic_refusal(const CValues& values, const Work& work);

void write_dynamic(CStep& step, const work::QuantizeDynamically& work);
void write_dynamic(CStep& step, const work::Convolution& work);
void write_dynamic(CStep& step, const work::MatrixProduct& work);

}  // namespace octet
