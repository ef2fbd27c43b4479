// fixed_multiplier.h: integer multipliers and shifts that requantize exactly as float32 does.
//
//   float32   q = saturate(round_ties_even(f32(acc) * M) + z)
//   fixed     q = saturate(round(acc * m / 2^shift) + z)
//
// Both are staircases of at most 256 steps that never fall as acc grows, for M and m that are not negative. They are
// equal on [least, greatest] exactly if every step begins at the same accumulator; and where a fixed one begins says
// that m / 2^shift lies on one side of a fraction. So the multipliers that are equal are those of an interval of
// fractions, and the smallest shift at which it holds an integer gives the narrowest. Equations (14), (16) and (17)
// of docs/quantization/derivation.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "octet/base/dtype.h"
#include "octet/spec/rounding.h"

namespace octet {

// A channel's requantization and the accumulators it can meet.
struct Requantization {
  float multiplier = 1;
  std::int32_t zero_point = 0;
  IntegerRange range{-128, 127};
  std::int64_t least = 0, greatest = 0;
};

// The fractions r for which round(acc * r) gives float32's result for every accumulator; empty when there is none.
struct FractionInterval {
  // num / den, den > 0; whether the end itself belongs to it.
  std::int64_t low_num = 0, low_den = 1, high_num = 0, high_den = 0;  // high_den 0: no upper end
  bool low_closed = true, high_closed = false;
  bool empty = false;
};
FractionInterval equal_multipliers(const Requantization& channel, Rounding rounding);

// The smallest m with m / 2^shift in the interval; nothing when there is none.
std::optional<std::int64_t> multiplier_at(const FractionInterval& interval, int shift);

struct MultiplierAndShift {
  std::int64_t m = 0;
  int shift = 0;
  int bits = 0;  // of m, unsigned
};
// With the smallest shift, and so the fewest bits; nothing when no multiplier below `bits` bits is equal.
std::optional<MultiplierAndShift> narrowest_multiplier(const FractionInterval& interval, int bits = 32);

// How many accumulators of [least, greatest] the nearest multiplier of 31 bits requantizes to something else.
std::int64_t differing_accumulators(const Requantization& channel, Rounding rounding);

// How many of [least, greatest] come to lie exactly between two integers that are not saturated: where the rule for
// ties decides.
std::int64_t count_ties(const Requantization& channel);

}  // namespace octet
