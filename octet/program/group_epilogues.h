// group_epilogues.h: fewer, longer steps: what happens to each element of a result happens before it is stored.
#pragma once

#include "octet/program/program.h"

namespace octet {

// A convolution, matrix product, addition, multiplication or pool takes up the steps behind it that work on each element
// of its result alone (the addition or multiplication of another value of that shape, a clamp, a table), where nothing
// else reads the values between. The operations stand in one step, in the same order: no bit changes. The step takes the
// place of its last part, where all that it reads has been made.
Program group_epilogues(Program program);

}  // namespace octet
