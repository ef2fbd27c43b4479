#include "octet/spec/pair_products.h"

namespace octet {

void PairProducts::add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const {
  Int32Accumulator{}.add_products(a, b, depth, sums);
  if (weights_.products < 2) return;  // one product alone fits 16 bits
  const std::int64_t first = (b.numbers - weights_.numbers.data()) / depth, products = weights_.products;
  const auto zero_points = static_cast<std::int64_t>(weights_.zero_points.size());
  const std::int32_t zx = weights_.x_zero_point;
  for (std::int64_t j = 0; j < b.count; ++j) {
    const std::int32_t zw =
        zero_points == 0 ? 0 : weights_.zero_points[static_cast<std::size_t>((first + j) % zero_points)];
    const std::int16_t* w = b.numbers + j * depth;
    for (std::int64_t i = 0; i < a.count; ++i) {
      const std::int16_t* x = a.numbers + i * depth;
      const auto product = [=](std::int64_t k) { return (x[k] + zx) * (w[k] + zw); };
      std::int64_t lost = 0;
      for (std::int64_t k = 0; k + 1 < products; k += 2) lost += lost_in_16_bits(product(k) + product(k + 1));
      std::int32_t& sum = sums[i * a.sum_stride + j * b.sum_stride];
      sum = Int32Accumulator{}.add(sum, static_cast<std::int32_t>(-lost));
    }
  }
}

}  // namespace octet
