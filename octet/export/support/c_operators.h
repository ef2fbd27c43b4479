// c_operators.h: operators that no work says, by their own formulas: on elements, and over all of them.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

// A step of one such operator, of types that C has. Its loops take elements in any order.
bool is_c_operator(const Program& program, const Step& step);

void write_operator(CStep& to, const Step& step);

}  // namespace octet
