#include "octet/analyze/support/pair_saturation.h"

#include "octet/spec/pair_products.h"

namespace octet {

std::vector<LostPair> lost_pairs(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  std::vector<LostPair> pairs;
  for (std::size_t k = 0; k < a.size(); k += 2) {
    const std::int32_t exact = a[k] * b[k] + (k + 1 < a.size() ? a[k + 1] * b[k + 1] : 0);
    if (const std::int32_t lost = lost_in_16_bits(exact); lost != 0) pairs.push_back({k, exact, lost});
  }
  return pairs;
}

}  // namespace octet
