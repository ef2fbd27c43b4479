// lower.h: from a graph to its program.
#pragma once

#include "octet/graph/model.h"
#include "octet/program/policy.h"
#include "octet/program/program.h"
#include "octet/spec/arithmetic.h"

namespace octet {

// Expands functions, validates, takes branches whose condition is known, checks that Octet knows every operator, fuses,
// resolves constants. Quantized operators on constants are computed here, with `arithmetic`. Throws octet::Error.
Program lower(Model model, Policy policy, const Arithmetic& arithmetic = {});

struct WriteOptions {
  // int8 weights that meet uint8 activations become uint8, 128 added to them and to their zero points: the same sums,
  // and exact also where x86 without VNNI saturates u8 x s8 in the middle. Where they are computed at run time, nodes do
  // it: Cast, Add, Cast.
  bool unsigned_weights = false;
};

// The program as a model: integer steps as operators of the standard and of com.microsoft.
Model to_model(const Program& program, const WriteOptions& options = {});

}  // namespace octet
