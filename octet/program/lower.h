// lower.h: from a graph to its program.
#pragma once

#include <string_view>

#include "octet/graph/model.h"
#include "octet/program/program.h"

namespace octet {

enum class Policy {
  kAsWritten,  // every node a step of its own
  // As much integer as is exact: a pattern is fused where the sum under the final rounding is, in integers, the sum of
  // the very numbers the file holds. docs/lowering.md has the rules.
  kExact,
  kOnnxRuntime,  // what ONNX Runtime makes of the file on x86 at optimization level extended
};

std::string_view name(Policy policy);
// Throws kUsage for an unknown name, listing the known ones.
Policy policy_named(std::string_view name);

// Expands functions, validates, checks that Octet knows every operator, fuses, resolves constants, assigns memory.
// Throws octet::Error.
Program lower(Model model, Policy policy);

struct WriteOptions {
  // int8 weights that meet uint8 activations become uint8, 128 added to them and to their zero points: the same sums,
  // and exact also where x86 without VNNI saturates u8 x s8 in the middle.
  bool unsigned_weights = false;
};

// The program as a model: integer steps as operators of the standard and of com.microsoft.
Model to_model(const Program& program, const WriteOptions& options = {});

}  // namespace octet
