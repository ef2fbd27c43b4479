// float_tolerance.h: how far two right float32 computations of a step may lie apart.
//
// With u = 2^-24, the rounding of one operation:
//
//   one operation per element    16 * 2u |y|, and 4u besides for functions such as tanh and exp, whose libraries differ by
//                                a few units in the last place of numbers around 1
//   f32(acc) * S [+ bias]        8u (|y| + |bias|): the integer sum is exact, three operations follow. Where one side may
//                                have added up in float, the bound of a sum of n products
//   sums of n products           (n + 16) * 2u * Sum |x| |w|, in any order; of bytes that a step joins, with the farthest
//                                x in place of each
//   pools, reductions, softmax,  (n + 16) * 2u * max |y|, n the elements summed over
//   normalization, sampling,
//   Fourier transforms
//
// DequantizeLinear, one subtraction and one product, must be equal.
#pragma once

#include <vector>

#include "octet/engine/engine.h"

namespace octet {

// For each element of `result`, which the step computes from `inputs`; empty for integers and where it must be equal.
// `sums_in_float` says that the other side may have added up in float what the file has a float operator for.
std::vector<double> float_tolerances(const Program& program, const Step& step, const NamedTensors& inputs,
                                     const Tensor& result, bool sums_in_float, const Parallel& parallel);

}  // namespace octet
