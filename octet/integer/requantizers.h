// requantizers.h: what follows a sum of products, as integers alone.
#pragma once

#include <vector>

#include "octet/program/work.h"
#include "octet/spec/integer_requantizer.h"
#include "octet/spec/known_forms.h"

namespace octet {

// The accumulators that a sum can end with, over every input; all of int32 where it can wrap. Of each channel, where the
// weights are known; of weights that are computed at run time, of any integers of a type.
std::vector<Interval> accumulator_reach(const work::Sum& sum);
Interval accumulator_reach(const work::Sum& sum, DType w_type, std::int64_t products);

// Equal to the stage on the accumulators of each channel.
std::vector<IntegerRequantizer> requantizers(const work::Requantize& stage, const std::vector<Interval>& reach,
                                             KnownForms& forms);

}  // namespace octet
