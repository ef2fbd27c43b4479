#include "octet/quantize/histogram.h"

#include <algorithm>
#include <cmath>

namespace octet {

void Histogram::grow() {
  // Bin k of the wider histogram covers old bins 2k - kBins/2 and the next one.
  std::vector<std::uint64_t> wider(kBins, 0);
  for (int old = 0; old < kBins; ++old)
    wider[static_cast<std::size_t>(kBins / 4 + old / 2)] += counts_[static_cast<std::size_t>(old)];
  counts_ = std::move(wider);
  limit_ *= 2;
}

void Histogram::add(std::span<const float> values) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  seen_ = total_ == 0 ? Range{*low, *high} : widened(seen_, {*low, *high});
  const double largest = std::max(std::fabs(static_cast<double>(*low)), std::fabs(static_cast<double>(*high)));
  if (limit_ == 0) {
    // All zeros so far, if anything: they stand in the middle whatever the limit.
    limit_ = largest == 0 ? 0 : std::ldexp(1.0, std::ilogb(largest) + 1);
    if (limit_ != 0 && total_ != 0) counts_[kBins / 2] = total_;
  }
  total_ += values.size();
  zeros_ += static_cast<std::uint64_t>(std::count(values.begin(), values.end(), 0.0F));
  if (limit_ == 0) return;
  while (largest >= limit_) grow();
  const double scale = kBins / (2.0 * limit_);
  for (float value : values) {
    const auto bin = static_cast<std::size_t>(static_cast<double>(value) * scale + kBins / 2);
    ++counts_[std::min(bin, static_cast<std::size_t>(kBins - 1))];
  }
}

}  // namespace octet
