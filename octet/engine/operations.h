// operations.h: a step by the operators' own kernels.
#pragma once

#include <string>
#include <vector>

#include "octet/program/program.h"

namespace octet {

// `values`, by ValueId, holds what the step reads and gets what it makes; constants may be left to the program. `border` as in
// run_operation.
void run_operations(const Program& program, const Step& step, std::vector<Tensor>& values,
                    const Environment& environment, const Arithmetic* border = nullptr);

// "conv1 (QLinearConv Clip)"
std::string place_of(const Step& step);

}  // namespace octet
