#include "octet/spec/pair_products.h"

#include "octet/base/vectorize.h"

namespace octet {

namespace {

// Numbers less their zero points, and these.
struct PairLine {
  const std::int16_t* numbers;
  std::int32_t zero_point;

  std::int32_t byte(std::int64_t k) const { return numbers[k] + zero_point; }
};

std::int64_t lost_products(PairLine x, PairLine w, std::int64_t products) {
  constexpr std::int64_t kBlock = 65536;  // whose losses, less than 2^15 for each two products, fit 32 bits
  std::int64_t lost = 0;
  for (std::int64_t begin = 0; begin + 1 < products; begin += kBlock) {
    const std::int64_t end = std::min(products, begin + kBlock);
    std::int32_t here = 0;
    for (std::int64_t k = begin; k + 1 < end; k += 2)
      here += lost_in_16_bits(x.byte(k) * w.byte(k) + x.byte(k + 1) * w.byte(k + 1));
    lost += here;
  }
  return lost;
}

}  // namespace

void PairProducts::add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const {
  Int32Accumulator{}.add_products(a, b, depth, sums);
  if (weights_.products < 2) return;  // one product alone fits 16 bits
  const std::int64_t first = (b.numbers - weights_.numbers.data()) / depth, products = weights_.products;
  const auto zero_points = static_cast<std::int64_t>(weights_.zero_points.size());
  const std::int32_t zx = weights_.x_zero_point;
  for (std::int64_t j = 0; j < b.count; ++j) {
    const std::int32_t zw =
        zero_points == 0 ? 0 : weights_.zero_points[static_cast<std::size_t>((first + j) % zero_points)];
    vectorized([=, w = PairLine{b.numbers + j * depth, zw}, to = sums + j * b.sum_stride] {
      for (std::int64_t i = 0; i < a.count; ++i) {
        const std::int64_t lost = lost_products({a.numbers + i * depth, zx}, w, products);
        to[i * a.sum_stride] = Int32Accumulator{}.add(to[i * a.sum_stride], static_cast<std::int32_t>(-lost));
      }
    });
  }
}

}  // namespace octet
