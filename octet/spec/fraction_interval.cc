#include "octet/spec/fraction_interval.h"

namespace octet {

std::optional<std::int64_t> multiplier_at(const FractionInterval& interval, int shift) {
  if (interval.empty()) return std::nullopt;
  const __int128 low = static_cast<__int128>(interval.low_num) << shift;
  __int128 m = low <= 0 ? 0 : (low + interval.low_den - 1) / interval.low_den;
  if (!interval.low_closed && m * interval.low_den == low) ++m;
  if (interval.high_den != 0) {
    const __int128 high = static_cast<__int128>(interval.high_num) << shift, end = m * interval.high_den;
    if (end > high || (end == high && !interval.high_closed)) return std::nullopt;
  }
  if (m > __int128{INT64_MAX}) return std::nullopt;
  return static_cast<std::int64_t>(m);
}

std::optional<FixedMultiplier> narrowest_multiplier(const FractionInterval& interval, int bits) {
  constexpr int kLargestShift = 62;
  for (int shift = 0; shift <= kLargestShift; ++shift)
    if (const std::optional<std::int64_t> m = multiplier_at(interval, shift)) {
      const FixedMultiplier found{*m, shift};
      return found.bits() > bits ? std::nullopt : std::optional(found);
    }
  return std::nullopt;
}

}  // namespace octet
