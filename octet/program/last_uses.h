// last_uses.h: how long an engine that runs a program step by step must keep each value.
#pragma once

#include <vector>

#include "octet/program/program.h"

namespace octet {

// For each step, the values that are dead after it.
std::vector<std::vector<ValueId>> last_uses(const Program& program);

}  // namespace octet
