// c_moves.h: elements that change places, of any type, as C.
#pragma once

#include "octet/export/support/c_step.h"

namespace octet {

void write_move(CStep& step, const work::Move& work);

// y's elements as x has them, whatever the order in memory of each.
void write_copy(CStep& step, ValueId x, ValueId y);

}  // namespace octet
