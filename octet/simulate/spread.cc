#include "octet/simulate/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace octet {
namespace {

// Student's t at 0.975, by degrees of freedom from 1 on; beyond the table by two terms of its expansion around the normal quantile,
// which are within 0.0002.
double t_quantile(std::int64_t freedom) {
  constexpr std::array kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= static_cast<std::int64_t>(kTable.size())) return kTable[static_cast<std::size_t>(freedom - 1)];
  const auto n = static_cast<double>(freedom);
  return 1.959964 + 2.37232 / n + 2.8226 / (n * n);
}

}  // namespace

Spread spread_of(std::span<const double> numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  const auto count = static_cast<double>(numbers.size());
  Spread spread{.count = static_cast<std::int64_t>(numbers.size()),
                .mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count,
                .least = least,
                .most = most};
  spread.low = spread.high = spread.mean;
  if (numbers.size() == 1) return spread;
  double squares = 0;
  for (const double number : numbers) squares += (number - spread.mean) * (number - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  const double half = t_quantile(spread.count - 1) * spread.deviation / std::sqrt(count);
  spread.low -= half;
  spread.high += half;
  return spread;
}

}  // namespace octet
