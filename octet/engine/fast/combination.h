// combination.h: QLinearAdd or QLinearMul of the same element of two operands, in the default arithmetic.
#pragma once

#include <cstdint>
#include <variant>

#include "octet/engine/fast/simd/elements.h"

namespace octet::fast {

// Requires an 8-bit type.
Bounds bounds_of(DType type);

class Combination {
 public:
  struct Meanings {
    Quantization first, second, y;
  };
  // Operands and result are of `type`; the result is clamped to `bounds`, which are within it.
  Combination(bool product, const Meanings& meanings, DType type, Bounds bounds, const Elements& elements);

  // y may be one of the operands.
  void operator()(const std::uint8_t* first, const std::uint8_t* second, std::int64_t count, std::uint8_t* y) const;

 private:
  std::variant<AddConstants, MultiplyConstants> constants_;
  const Elements& elements_;
};

}  // namespace octet::fast
