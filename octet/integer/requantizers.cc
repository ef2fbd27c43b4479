#include "octet/integer/requantizers.h"

#include <algorithm>

namespace octet {

std::vector<Interval> accumulator_reach(const work::Sum& sum) {
  std::vector<Interval> reach;
  for (std::size_t m = 0; m < sum.least.size(); ++m) reach.push_back(wrapped_to_int32({sum.least[m], sum.greatest[m]}));
  return reach;
}

Interval accumulator_reach(const work::Sum& sum, DType w_type, std::int64_t products) {
  const IntegerRange x = integer_range(sum.x_type), w = integer_range(w_type);
  const std::int64_t w_zero_point = sum.w_zero_points.front(), bias = sum.bias.empty() ? 0 : sum.bias.front();
  const Interval one =
      product_of({x.min - sum.x_zero_point, x.max - sum.x_zero_point}, {w.min - w_zero_point, w.max - w_zero_point});
  products = std::min(products, kMostSummed);
  return wrapped_to_int32({bias + products * one.least, bias + products * one.greatest});
}

std::vector<IntegerRequantizer> requantizers(const work::Requantize& stage, const std::vector<Interval>& reach,
                                             KnownForms& forms) {
  const IntegerRange range = integer_range(stage.type);
  std::vector<IntegerRequantizer> found;
  for (std::size_t m = 0; m < reach.size(); ++m) {
    const float multiplier = one_or(stage.multipliers, static_cast<std::int64_t>(m));
    found.push_back(forms.requantizer({multiplier, stage.y.zero_point, range}, reach[m]));
  }
  return found;
}

}  // namespace octet
