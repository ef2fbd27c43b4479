// extensions.h: dot products of bytes that some processors of a target have and others have not. Highway's targets do not
// tell them apart; the assembler knows the instructions.
#pragma once

namespace octet::fast {

enum class Extension {
  kNone,
  kVexVnni,  // AVX-VNNI beside AVX2: vpdpbusd on vectors of 256 bits, uint8 by int8
  kI8mm,     // of ARMv8.6: usdot, uint8 by int8
  kDotprod,  // of ARMv8.2: sdot, int8 by int8
};

// Whether this processor has it.
bool has(Extension extension);

}  // namespace octet::fast
