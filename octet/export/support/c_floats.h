// c_floats.h: steps of float32 as C, and those between float and integers.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

// Why C can't have it; empty: it can.
std::string c_refusal(const Program& program, const CValues& values, const Step& step);

void write_floats(CStep& to, const Step& step);

}  // namespace octet
