// resolve.h: from the operations of a program to what they compute.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "octet/program/program.h"

namespace octet {

// Fills in, from operations and constants alone: types and shapes of values as far as the operators' rules give them
// (what is known already stays), what integers mean, the work of each step, why it is opaque, its hazards. Run it again
// after any change: what an earlier run found is replaced, never doubled.
void resolve(Program& program);

// The program, resolved with the constants it has, for symbols that mean these numbers, wherever a shape names them.
// Symbols that it does not have are ignored; those that are not given stay. Throws kUsage, placed at the step, where shapes do not fit each other then.
Program specialized(Program program, const std::map<std::string, std::int64_t>& symbols);

// Throws kModel, naming the step or value, unless every value is made before it is read, constants have the type and
// shape they say, steps have operations, and nothing that resolve() fills in is stale.
void require_consistent(const Program& program);

}  // namespace octet
