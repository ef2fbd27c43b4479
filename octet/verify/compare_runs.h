// compare_runs.h: two dumps of a program's tensors, in its order and step by step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/program/program.h"
#include "octet/verify/verify.h"

namespace octet {

// The names of the tensors that are not values of the program.
std::vector<std::string> unknown_tensors(const Program& program, const NamedTensors& tensors);

// `mine` against `golden`, and each step on mine's own tensors. The first element that differs is explained in lines of at most
// `width` columns. Throws kUsage where `golden` has no tensor of the program.
Verification compare_runs(const Engine& engine, const NamedTensors& golden, const NamedTensors& mine,
                          std::size_t width = 120);

}  // namespace octet
