// step_constants.h: the constants inside the steps of an IntegerProgram, as arrays.
//
//   starts         int32 [channels], or [1] for all           what a sum begins with
//   w_zero_points  int32 [channels], or [1]                   where they are not all 0
//   m              int32 [channels], or [1]                   saturate((acc * m + addend) >> shift)
//   addend         int64 [channels], or [1]
//   shift          uint8 [channels], or [1]
//   exceptions     int64 [count, 4]: channel, first and last accumulator, value; looked up first
//   pair           int64 [4]: ma, mb, addend, shift; of a product [5]: the zero points of a and b, m, addend, shift
//   exceptions     int64 [count, 4]: a, first and last b, value; of a product as of a sum, the channel being 0
//   table          y's type [256], by the byte of x; tables [count, 256]; int32 where a number is beyond that type
//   indices        int64, of y's size: 0 is the fill, k the element k - 1 of the sources one after the other
//
// The second of a kind in one step has a number: table_2.
#pragma once

#include <string>
#include <vector>

#include "octet/integer/integer_program.h"

namespace octet {

struct StepConstant {
  std::string what;
  Tensor elements;
};

// Throws kUnsupported for tables and pairs in epilogues, which group_epilogues puts there.
std::vector<StepConstant> step_constants(const IntegerProgram& program, const IntegerStep& step);

}  // namespace octet
