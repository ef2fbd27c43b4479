#include "octet/spec/staircase.h"

#include <algorithm>

namespace octet {

std::int32_t Staircase::operator()(std::int64_t accumulator) const {
  const auto next = std::upper_bound(steps.begin(), steps.end(), accumulator,
                                     [](std::int64_t wanted, const StairStep& step) { return wanted < step.first; });
  return std::prev(next)->value;
}

Staircase staircase(const Requantizer& requantize, const Interval& reach) {
  return monotone_steps(reach,
                        [&](std::int64_t accumulator) { return requantize(static_cast<std::int32_t>(accumulator)); });
}

Staircase staircase(const Requantization& channel, const Interval& reach) {
  return staircase(Requantizer({}, channel.multiplier, {channel.zero_point, channel.range, ZeroPoint::kAfterRounding}),
                   reach);
}

std::int64_t differing(const Staircase& a, const Staircase& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0, j = 0; i < a.steps.size() && j < b.steps.size();) {
    const std::int64_t first = std::max(a.steps[i].first, b.steps[j].first), last = std::min(a.last(i), b.last(j));
    if (a.steps[i].value != b.steps[j].value) count += std::max<std::int64_t>(0, last - first + 1);
    a.last(i) == last ? ++i : ++j;
  }
  return count;
}

}  // namespace octet
