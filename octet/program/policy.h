// policy.h: how far a file is turned into integers.
#pragma once

#include <string_view>

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

}  // namespace octet
