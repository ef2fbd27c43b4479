// run_operation.h: one operation by its operator's own kernel, and the graphs it runs by theirs.
#pragma once

#include <vector>

#include "octet/program/program.h"

namespace octet {

// `arguments` are its inputs, those that its graphs read too; absent ones are empty. What goes wrong inside a graph is
// placed there: "then_branch: conv (Conv)". Throws octet::Error.
std::vector<Tensor> run_operation(const Operation& operation, std::vector<Tensor> arguments,
                                  const Environment& environment);

}  // namespace octet
