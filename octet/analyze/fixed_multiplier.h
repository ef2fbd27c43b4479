// fixed_multiplier.h: integer multipliers and shifts that requantize exactly as float32 does.
//
//   float32   q = saturate(round_ties_even(f32(acc) * M) + z)
//   fixed     q = saturate(round(acc * m / 2^shift) + z)
//
// Both are staircases that never fall as acc grows, for M and m that are not negative. They are equal exactly if every
// step begins at the same accumulator; and where a fixed one begins says that m / 2^shift lies on one side of a fraction.
// So the multipliers that are equal are those of an interval of fractions, and the smallest shift at which it holds an
// integer gives the narrowest. Equations (14), (16) and (17) of docs/quantization/derivation.md.
#pragma once

#include <cstdint>

#include "octet/spec/fraction_interval.h"
#include "octet/spec/rounding.h"
#include "octet/spec/staircase.h"

namespace octet {

// The multipliers that give the staircase, which never falls, if the fixed-point side rounds by a rule.
FractionInterval equal_multipliers(const Staircase& stairs, const Requantization& channel, Rounding rounding);

// How many accumulators of the channel's staircase the nearest multiplier of 31 bits requantizes to something else.
std::int64_t differing_accumulators(const Staircase& stairs, const Requantization& channel, Rounding rounding);

// How many come to lie exactly between two integers that are not saturated: where the rule for ties decides.
std::int64_t count_ties(const Staircase& stairs, const Requantization& channel);

}  // namespace octet
