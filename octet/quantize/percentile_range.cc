#include <algorithm>

#include "octet/quantize/calibrate.h"

namespace octet {

Range percentile_range(const Histogram& histogram, double percentile) {
  const Range seen = histogram.seen();
  const double cut = (100.0 - percentile) / 200.0 * static_cast<double>(histogram.total());
  const std::vector<std::uint64_t> counts = histogram.counts();
  if (histogram.bin_width() == 0) return seen;

  // The lower end of the first bin that is not cut away whole, and the upper end of the last.
  int low = 0, high = Histogram::kBins - 1;
  for (double below = 0; low < high; ++low) {
    below += static_cast<double>(counts[static_cast<std::size_t>(low)]);
    if (below > cut) break;
  }
  for (double above = 0; high > low; --high) {
    above += static_cast<double>(counts[static_cast<std::size_t>(high)]);
    if (above > cut) break;
  }
  return {std::max(seen.min, static_cast<float>(histogram.edge(low))),
          std::min(seen.max, static_cast<float>(histogram.edge(high + 1)))};
}

}  // namespace octet
