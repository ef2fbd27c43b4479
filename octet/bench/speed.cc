#include "octet/bench/speed.h"

#include <algorithm>

namespace octet {

Speed speed_of(std::vector<double> nanoseconds) {
  std::ranges::sort(nanoseconds);
  const std::size_t runs = nanoseconds.size();
  const auto percentile = [&](std::size_t percent) { return nanoseconds[(runs * percent + 99) / 100 - 1]; };
  return {percentile(50), percentile(90), percentile(99), nanoseconds.front(), static_cast<std::int64_t>(runs)};
}

}  // namespace octet
