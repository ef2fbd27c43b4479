// build.h: from names to a Program.
#pragma once

#include <functional>

#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "octet/program/support/draft.h"

namespace octet {

// Makes the program of a graph that a node runs. The graph's inputs are its own, by their types alone, because their shapes may
// change from run to run, and behind them those values around it that are not constants.
using BuildGraph = std::function<Program(Model graph)>;

// Every node a step.
Program build_program(Model model, const BuildGraph& build_graph);
// The draft's steps.
Program build_program(Draft draft, const BuildGraph& build_graph);

}  // namespace octet
