// histogram.h: how often each magnitude was seen, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "octet/quantize/parameters.h"

namespace octet {

// Equal bins over [-limit, limit], limit a power of two that doubles when a number beyond it arrives: neighbouring bins
// are then merged, exactly, so that the order of the numbers does not matter. At least half of the bins lie within the
// largest magnitude seen.
class Histogram {
 public:
  static constexpr int kBins = 8192;

  // All of them lie within `range`.
  void add(std::span<const float> values, const Range& range);

  bool empty() const { return total_ == 0; }
  std::uint64_t total() const { return total_; }
  // How many were 0, or minus 0. They are in the bin above the middle.
  std::uint64_t zeros() const { return zeros_; }
  Range seen() const { return seen_; }
  std::vector<std::uint64_t> counts() const;
  double bin_width() const { return 2.0 * limit_ / kBins; }
  // The lower end of a bin, and its middle.
  double edge(int bin) const {
    const int from_middle = bin - kBins / 2;
    return from_middle * bin_width();
  }
  double center(int bin) const { return edge(bin) + bin_width() / 2; }

 private:
  void grow();

  // Neighbours are often equal, as zeros behind a Relu: two tables let the processor count them at once.
  std::array<std::vector<std::uint64_t>, 2> tables_;
  double limit_ = 0;
  std::uint64_t total_ = 0, zeros_ = 0;
  Range seen_;
};

}  // namespace octet
