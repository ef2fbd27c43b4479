// build.h: from names to a Program.
#pragma once

#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "octet/program/support/draft.h"

namespace octet {

// Every node a step.
Program build_program(Model model);
// The draft's steps.
Program build_program(Draft draft);

}  // namespace octet
