#include "octet/analyze/support/pair_saturation.h"

#include <algorithm>

namespace octet {

std::vector<LostPair> lost_pairs(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  std::vector<LostPair> pairs;
  for (std::size_t k = 0; k < a.size(); k += 2) {
    const std::int32_t exact = a[k] * b[k] + (k + 1 < a.size() ? a[k + 1] * b[k + 1] : 0);
    const std::int32_t saturated = std::clamp(exact, -32768, 32767);
    if (saturated != exact) pairs.push_back({k, exact, exact - saturated});
  }
  return pairs;
}

}  // namespace octet
