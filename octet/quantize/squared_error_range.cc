// Shrinks the observed range step by step at either end and keeps the one with the least mean squared error
//
//   E = sum over bins of count * (x - dequantize(quantize(x)))^2,   x the bin's middle
//
// which trades the clipping of rare large numbers against finer steps for all the others.
#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/quantize/calibrate.h"

namespace octet {
namespace {

struct Bin {
  double x, count;
};

double squared_error(const std::vector<Bin>& bins, const Range& range, const Encoding& encoding, double least) {
  const auto [scale, zero_point] = choose(range, encoding);
  const auto [qmin, qmax] = used_integers(encoding);
  const double s = static_cast<double>(scale), low = static_cast<double>(qmin - zero_point),
               high = static_cast<double>(qmax - zero_point);
  double error = 0;
  for (const Bin& bin : bins) {
    const double t = std::clamp(bin.x / s, low, high);
    const double difference = bin.x - s * std::nearbyint(t);
    error += bin.count * difference * difference;
    if (error >= least) break;
  }
  return error;
}

}  // namespace

Range squared_error_range(const Histogram& histogram, const Encoding& encoding) {
  const Range seen = histogram.seen();
  const std::vector<std::uint64_t> counts = histogram.counts();
  std::vector<Bin> bins;
  for (int i = 0; i < Histogram::kBins; ++i)
    if (const std::uint64_t count = counts[static_cast<std::size_t>(i)])
      bins.push_back({histogram.center(i), static_cast<double>(count)});
  if (bins.size() < 2) return seen;

  constexpr int kSteps = 40;  // down to a fifth of the range at either end
  Range best = seen;
  double least = std::numeric_limits<double>::infinity();
  for (int low = 0; low <= kSteps; ++low) {
    if (low > 0 && seen.min >= 0) break;
    for (int high = 0; high <= kSteps; ++high) {
      if (high > 0 && seen.max <= 0) break;
      const auto keep = [](int step) { return 1.0F - 0.8F * static_cast<float>(step) / kSteps; };
      const Range range{seen.min < 0 ? seen.min * keep(low) : seen.min,
                        seen.max > 0 ? seen.max * keep(high) : seen.max};
      const double error = squared_error(bins, range, encoding, least);
      if (error < least) {
        least = error;
        best = range;
      }
    }
  }
  return best;
}

}  // namespace octet
