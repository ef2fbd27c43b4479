// program_text.h: a program as a table for people.
#pragma once

#include <cstddef>
#include <string>

#include "octet/program/memory_plan.h"
#include "octet/program/program.h"

namespace octet {

// Steps, types, shapes, multipliers, accumulators; what fused and why not; memory. A width of 0 cuts nothing.
std::string program_text(const Program& program, const MemoryPlan& memory, std::size_t width);

}  // namespace octet
