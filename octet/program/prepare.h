// prepare.h: a program made ready for those who run or export it: which passes, in which order, and why.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "octet/program/program.h"

namespace octet {

enum class Target {
  kFastEngine,   // the plans of the fast engine
  kEveryValue,   // those of its plans that show every value
  kC,            // C source
  kAccelerator,  // integer programs: golden vectors, Verilog
};

// The same program for `target`: with the same values under the same numbers, and the same steps or fewer; for kEveryValue a
// step for each operation. With `symbols`, shapes are inferred again for these numbers (see specialized()). Throws what
// specialized() throws, and what computing a constant throws.
Program prepare(Program program, Target target,
                const std::optional<std::map<std::string, std::int64_t>>& symbols = std::nullopt);

// The passes of `target` that need no shapes. What they make is shared by every program that prepare() makes of the result for
// some numbers; prepare() gives the same with and without it. Throws what computing a constant throws.
Program prepare_for_all_shapes(Program program, Target target);

}  // namespace octet
