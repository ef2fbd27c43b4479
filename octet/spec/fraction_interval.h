// fraction_interval.h: the fractions between two others, and which of them is m / 2^shift with the fewest bits.
//
// Numerators stay below 2^18 and denominators below 2^34 in magnitude, as steps of 16 bits and accumulators of 33 make
// them: comparisons are exact in int64.
#pragma once

#include <cstdint>
#include <optional>

#include "octet/spec/requantize.h"

namespace octet {

// From 0 upwards, unless told otherwise.
struct FractionInterval {
  // num / den, den > 0; whether the end itself belongs to it.
  std::int64_t low_num = 0, low_den = 1, high_num = 0, high_den = 0;  // high_den 0: no upper end
  bool low_closed = true, high_closed = false;
  bool impossible = false;  // a condition failed that no fraction can meet

  // Keeps what is greater than num / den, or equal to it if that is closed. Whether that moved the end.
  bool raise(std::int64_t num, std::int64_t den, bool closed) {
    const std::int64_t old = low_num * den, other = num * low_den;
    if (other < old || (other == old && (closed || !low_closed))) return false;
    low_num = num, low_den = den, low_closed = closed;
    return true;
  }
  // Keeps what is less.
  bool lower(std::int64_t num, std::int64_t den, bool closed) {
    if (high_den != 0) {
      const std::int64_t old = high_num * den, other = num * high_den;
      if (other > old || (other == old && (closed || !high_closed))) return false;
    }
    high_num = num, high_den = den, high_closed = closed;
    return true;
  }
  bool empty() const {
    if (impossible || high_den == 0) return impossible;
    const std::int64_t low = low_num * high_den, high = high_num * low_den;
    return low > high || (low == high && !(low_closed && high_closed));
  }
};

// The smallest m with m / 2^shift in the interval; nothing when there is none. 0 <= shift <= 62.
std::optional<std::int64_t> multiplier_at(const FractionInterval& interval, int shift);

// With the smallest shift, and so the fewest bits; nothing when no multiplier of `bits` bits or fewer is in it.
std::optional<FixedMultiplier> narrowest_multiplier(const FractionInterval& interval, int bits = 31);

}  // namespace octet
