#include "octet/quantize/pool_scale.h"

#include <limits>

namespace octet {

int largest_divisor(const ScaleAndZeroPoint& input, const Range& range, const Encoding& encoding) {
  constexpr int kMost = 256;
  if (range.min == 0 && range.max == 0) return 1;
  const auto [qmin, qmax] = used_integers(encoding);
  const auto reaches = [&, least = qmin, most = qmax](int divisor) {
    const double scale = static_cast<double>(input.scale) / divisor;
    const auto end = [&](std::int64_t integer, double half) {
      return scale * (static_cast<double>(integer - input.zero_point) + half);
    };
    return scale >= static_cast<double>(std::numeric_limits<float>::min()) &&
           static_cast<double>(range.min) >= end(least, -0.5) && static_cast<double>(range.max) <= end(most, 0.5);
  };
  int divisor = 1;
  while (divisor < kMost && reaches(2 * divisor)) divisor *= 2;
  return divisor;
}

}  // namespace octet
