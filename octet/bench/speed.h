// speed.h: many times of the same thing at a glance.
#pragma once

#include <cstdint>
#include <vector>

namespace octet {

// In nanoseconds.
struct Speed {
  double median = 0, p90 = 0, p99 = 0, least = 0;
  std::int64_t runs = 0;
};

// Requires at least one time. A percentile is the smallest time that so many percent of them don't exceed.
Speed speed_of(std::vector<double> nanoseconds);

}  // namespace octet
