// spread.h: what one number is over several seeds.
#pragma once

#include <cstdint>
#include <span>

namespace octet {

struct Spread {
  std::int64_t count = 0;
  double mean = 0;
  double deviation = 0;  // of one draw: the square root of the sum of squares over count - 1; 0 of a single one
  double low = 0,
         high = 0;  // where the mean of all draws lies with 95 % confidence (Student's t); the mean of a single one
  double least = 0, most = 0;
};

// Requires at least one number.
Spread spread_of(std::span<const double> numbers);

}  // namespace octet
