// build.h: from names to a Program.
#pragma once

#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "octet/program/support/draft.h"

namespace octet {

// Throws, placed at the node where there is one, unless Octet computes with everything in the model: its opset, its
// operators, the types of its inputs and initializers.
void require_computable(const Model& model);

// Throws kUnsupported for the types that Octet only reads, writes and shows.
void require_computable(DType dtype, std::string_view what, std::string_view name);

// Every node a step.
Program build_program(Model model);
// The draft's steps.
Program build_program(Draft draft);

// ---- what a program is given when its steps are there

// Weights, corrections, multipliers, tables; the quantization of values; warnings.
void resolve_constants(Program& program);
// Offsets of the values that steps compute, so that values alive together don't overlap.
void assign_memory(Program& program);

}  // namespace octet
