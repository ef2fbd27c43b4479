// pool_scale.h: the scale of averages, as that of what they average over a power of two.
#pragma once

#include "octet/quantize/parameters.h"

namespace octet {

// The largest power of two d, up to 256, for which scale / d with the same zero point still reaches all of `range`, to
// half a step; 1 for a range of nothing but 0. Beyond 256 every bit of an 8-bit average would lie below the last bit of
// what it averages.
int largest_divisor(const ScaleAndZeroPoint& input, const Range& range, const Encoding& encoding);

}  // namespace octet
