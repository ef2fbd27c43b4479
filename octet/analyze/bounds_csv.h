// bounds_csv.h: the constants of a program in integers alone, one row per output channel, as hardware takes them.
#pragma once

#include <span>
#include <string>

#include "octet/analyze/bounds.h"

namespace octet {

// RFC 4180 with lines that end in \n. The first row names the columns:
//
//   step, kind        as octet lower names them
//   channel           from 0; empty where all channels are alike
//   start             what a sum of raw x times w begins with; empty where x's zero point comes at run time
//   least, greatest   accumulator, over every input; bits: of a register that holds both
//   m, m_b, addend, shift
//                     y = saturate((acc * m + addend) >> shift), of an addition ((a * m + b * m_b + addend) >> shift);
//                     empty where the result is not of 8 bits
//   exceptions        with a result of their own, by spaces: acc:y or first..last:y, of an addition a/b:y or a/first..last:y
//   m_bits            without the sign
//   product_bits, sum_bits
//                     of registers that hold every product and sum, exceptions included
//   thresholds        of a quantize step, which has nothing else: the bits of the float32 numbers at which its steps begin
//                     (thresholds.h), in hexadecimal, by spaces; a channel for each scale where there are several
//
// Steps that quantize have a row where x is float32, y of 8 bits, and the scale positive, finite and known.
std::string bounds_csv(const Program& program, std::span<const StepBounds> bounds,
                       std::span<const CombiningStep> combining);

}  // namespace octet
