// last_uses.h: how long whoever walks a program step by step must keep its values.
#pragma once

#include <vector>

#include "octet/program/program.h"

namespace octet {

// By each step, the values that nobody needs after it.
std::vector<std::vector<ValueId>> last_uses(const Program& program);

}  // namespace octet
