// reach.h: between which numbers the accumulator of an output channel lies, whatever the inputs are, from its weights.
//
//   acc = bias + Sum (x - zx) * w = start + Sum x * w        w less its zero point, start = bias - zx * Sum w
//
// Each product is smallest and largest at the ends of x's type, so all there is to know of the weights is the sum of those
// above 0 and the sum of those below. Equation (11) of docs/quantization/derivation.md.
#pragma once

#include <cstdint>
#include <optional>

#include "octet/base/tensor.h"
#include "octet/spec/interval.h"

namespace octet {

struct WeightSums {
  std::int64_t positive = 0, negative = 0;
};
// The sums of a row of [channels, products], integers of at most 32 bits, less their zero point.
WeightSums weight_sums(const Tensor& weights, std::int64_t channel, std::int32_t zero_point);

// The range of Sum x * w.
inline Interval products_reach(const WeightSums& w, const Interval& x) {
  return {w.positive * x.least + w.negative * x.greatest, w.positive * x.greatest + w.negative * x.least};
}

struct SumReach {
  std::optional<std::int64_t> start;  // where zx is known
  Interval final;                     // of the finished sum; one from the bias, or from start with raw x, stays inside
  Interval any_order;                 // the bias may come at any place among the products
  Interval raw;                       // Sum x * w alone
};
// x and zx take every value of their intervals.
SumReach sum_reach(const WeightSums& w, const Interval& x, const Interval& x_zero_points, std::int64_t bias);

}  // namespace octet
