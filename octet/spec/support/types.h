// types.h: the element types an operator takes.
#pragma once

#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

enum class TypeKind {
  kFloat,    // float16, bfloat16, float32, float64
  kInteger,  // integers of 8 to 64 bits
  kNumeric,  // either
  kWide,     // floating point, or integers of 32 or 64 bits
  kBool,
};

// Throws kConstraint with `label` unless input `index` is of that kind.
void require_type(const Inference& i, std::size_t index, TypeKind kind, std::string_view label);

// Throws kConstraint with `label` unless both inputs are of one type.
void require_same_type(const Inference& i, std::size_t a, std::size_t b, std::string_view label);

}  // namespace octet
