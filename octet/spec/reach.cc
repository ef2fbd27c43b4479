#include "octet/spec/reach.h"

#include <algorithm>
#include <span>

namespace octet {
namespace {

template <typename WeightAt>
WeightSums sums_of_row(std::int64_t products, std::int32_t zero_point, const WeightAt& weight_at) {
  WeightSums found;
  for (std::int64_t k = 0; k < products; ++k) {
    const std::int64_t w = std::int64_t{weight_at(k)} - zero_point;
    found.positive += std::max<std::int64_t>(w, 0);
    found.negative += std::min<std::int64_t>(w, 0);
  }
  return found;
}

// For bytes, in narrow registers: w - zero_point fits int16, and sums of kAtOnce of them fit int32.
template <typename T>
WeightSums sums_of_bytes(std::span<const T> row, std::int16_t zero_point) {
  constexpr std::size_t kAtOnce = 1 << 16;
  WeightSums found;
  for (; !row.empty(); row = row.subspan(std::min(kAtOnce, row.size()))) {
    std::int32_t positive = 0, all = 0;
    for (const T weight : row.first(std::min(kAtOnce, row.size()))) {
      const auto w = static_cast<std::int16_t>(weight - zero_point);
      positive += std::max<std::int16_t>(w, 0);
      all += w;
    }
    found.positive += positive;
    found.negative += all - positive;
  }
  return found;
}

}  // namespace

WeightSums weight_sums(const Tensor& weights, std::int64_t channel, std::int32_t zero_point) {
  const std::int64_t products = weights.shape()[1], first = channel * products;
  const auto bytes = [&]<typename T>(std::span<const T> from) {
    return sums_of_bytes(from.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(products)),
                         static_cast<std::int16_t>(zero_point));
  };
  const bool is_narrow = zero_point >= -256 && zero_point <= 256;
  if (is_narrow && weights.dtype() == DType::kInt8) return bytes(weights.as<std::int8_t>());
  if (is_narrow && weights.dtype() == DType::kUint8) return bytes(weights.as<std::uint8_t>());
  return sums_of_row(products, zero_point, [&](std::int64_t k) { return weights.int_at(first + k); });
}

SumReach sum_reach(const WeightSums& w, const Interval& x, const Interval& x_zero_points, std::int64_t bias) {
  const auto centered = [&](std::int64_t zero_point) {
    return products_reach(w, {x.least - zero_point, x.greatest - zero_point});
  };
  Interval sum = centered(x_zero_points.least);
  sum.include(centered(x_zero_points.greatest));  // linear in zx: between its ends lies nothing wider
  SumReach found{std::nullopt,
                 {sum.least + bias, sum.greatest + bias},
                 {sum.least + std::min<std::int64_t>(0, bias), sum.greatest + std::max<std::int64_t>(0, bias)},
                 products_reach(w, x)};
  if (x_zero_points.least == x_zero_points.greatest)
    found.start = bias - x_zero_points.least * (w.positive + w.negative);
  return found;
}

}  // namespace octet
