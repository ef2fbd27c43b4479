// one_step.h: a step as a program of its own, whatever is around it.
#pragma once

#include "octet/program/program.h"

namespace octet {

// What the step reads are the inputs, what it makes for others are the outputs. Values keep their names and numbers.
Program one_step(const Program& program, std::size_t step);

}  // namespace octet
