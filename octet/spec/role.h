// role.h: what the inputs and outputs of an operator are for. Each operator's entry lists them; other code asks for a
// role and never for the number of an input.
#pragma once

#include <cstdint>

namespace octet {

enum class Role : std::uint8_t {
  kNone,        // used by the operator itself only
  kX,           // the operand; the first of two; each operand where there may be any number
  kXScale,      //
  kXZeroPoint,  //
  kW,           // weights, or the second operand
  kWScale,      //
  kWZeroPoint,  //
  kBias,        // in units of the accumulator
  kFloatBias,   // float, added behind the scaling
  kY,           // the result
  kYScale,      //
  kYZeroPoint,  //
  kCondition,   // chooses between two operands
  kMoved,       // its elements reach the result as they are; the other inputs and the attributes say where to
  kIndex,       // which element of kMoved comes; of a result of its shape, each element by the index in its own place
  kFill,        // what stands in the result where no element of kMoved does
  kLow,         // the bounds of a clamp
  kHigh,        //
};

}  // namespace octet
