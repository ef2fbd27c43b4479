#include "octet/quantize/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "octet/base/vectorize.h"

namespace octet {

void Histogram::grow() {
  // Bin k of the wider histogram covers old bins 2k - kBins/2 and the next one.
  for (std::vector<std::uint64_t>& table : tables_) {
    std::vector<std::uint64_t> wider(kBins, 0);
    for (int old = 0; old < kBins; ++old)
      wider[static_cast<std::size_t>(kBins / 4 + old / 2)] += table[static_cast<std::size_t>(old)];
    table = std::move(wider);
  }
  limit_ *= 2;
}

std::vector<std::uint64_t> Histogram::counts() const {
  std::vector<std::uint64_t> sums(kBins, 0);
  for (const auto& table : tables_)
    for (std::size_t bin = 0; bin < table.size(); ++bin) sums[bin] += table[bin];
  return sums;
}

namespace {

// The bins of some numbers, floor(value * scale) + kBins / 2, and how many numbers were 0. The product with a power of two
// is exact in float64, and so is the sum, but for a float32 just below 0, which it rounds up to the middle.
struct Chunk {
  static constexpr std::size_t kSize = 1024;
  static constexpr std::int32_t kMiddle = Histogram::kBins / 2;
  std::array<std::int32_t, kSize> bins;
  std::uint64_t zeros = 0;

  void find_bins(const float* values, std::size_t count, double scale) {
    vectorized([this, values, count, scale] {
      std::uint32_t found = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto bin = static_cast<std::int32_t>(static_cast<double>(values[i]) * scale + kMiddle);
        bins[i] = bin - ((values[i] < 0.0F) & (bin == kMiddle));
        found += values[i] == 0.0F;
      }
      zeros += found;
    });
  }
};

}  // namespace

void Histogram::add(std::span<const float> values, const Range& range) {
  if (values.empty()) return;
  for (auto& table : tables_) table.resize(kBins);
  seen_ = total_ == 0 ? range : widened(seen_, range);
  const double largest = std::max(std::fabs(static_cast<double>(range.min)), std::fabs(static_cast<double>(range.max)));
  if (limit_ == 0) {
    // All zeros so far, if anything: they stand in the middle whatever the limit.
    limit_ = largest == 0 ? 0 : std::ldexp(1.0, std::ilogb(largest) + 1);
    if (limit_ != 0 && total_ != 0) tables_[0][kBins / 2] = total_;
  }
  total_ += values.size();
  if (limit_ == 0) {
    zeros_ = total_;
    return;
  }
  while (largest >= limit_) grow();
  const double scale = kBins / (2.0 * limit_);
  Chunk chunk;
  for (std::size_t begin = 0; begin < values.size(); begin += Chunk::kSize) {
    const std::size_t count = std::min(Chunk::kSize, values.size() - begin);
    chunk.find_bins(values.data() + begin, count, scale);
    for (std::size_t i = 0; i < count; ++i) ++tables_[i % 2][static_cast<std::size_t>(chunk.bins[i])];
  }
  zeros_ += chunk.zeros;
}

}  // namespace octet
