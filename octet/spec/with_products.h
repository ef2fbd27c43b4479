// with_products.h: the sums of products that an arithmetic asks for.
#pragma once

#include "octet/spec/analog_products.h"
#include "octet/spec/pair_products.h"

namespace octet {

// Calls f with what has add_products, so that loops are compiled for each. `pairs`: uint8 meets int8.
template <typename F>
void with_products(const Arithmetic& arithmetic, const WeightLines& weights, bool pairs, F&& f) {
  if (arithmetic.analog.rows > 0) return f(AnalogProducts(arithmetic, weights.numbers, weights.depth));
  if (arithmetic.saturating_pairs && pairs) return f(PairProducts(weights));
  with_accumulator(arithmetic, f);
}

}  // namespace octet
