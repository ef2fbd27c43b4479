// run_operation.h: one operation by its operator's own kernel, and the graphs it runs by theirs.
#pragma once

#include <vector>

#include "octet/program/program.h"

namespace octet {

// `arguments` are its inputs, those that its graphs read too; absent ones are empty. What goes wrong inside a graph is
// placed there: "then_branch: conv (Conv)". Throws octet::Error.
// `border` is the arithmetic of what is not quantized inside its graphs; null: that of the environment, too.
std::vector<Tensor> run_operation(const Operation& operation, std::vector<Tensor> arguments,
                                  const Environment& environment, const Arithmetic* border = nullptr);

}  // namespace octet
