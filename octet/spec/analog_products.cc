#include "octet/spec/analog_products.h"

#include <cmath>
#include <cstdlib>

#include "octet/spec/random.h"

namespace octet {

AnalogProducts::AnalogProducts(const Arithmetic& arithmetic, std::span<const std::int16_t> weights, std::int64_t depth)
    : array_(arithmetic.analog), weights_(weights.data()), noisy_(weights.begin(), weights.end()) {
  std::uint64_t layer = arithmetic.seed;  // layers draw from the same seed, and each its own noise
  int largest = 0;
  for (const std::int16_t weight : weights) {
    layer = mix({layer, static_cast<std::uint64_t>(weight)});
    largest = std::max(largest, std::abs(int{weight}));
  }
  if (array_.weight_noise > 0)
    for (std::size_t k = 0; k < noisy_.size(); ++k)
      noisy_[k] += static_cast<float>(array_.weight_noise * largest * normal(mix({layer, k})));
  const std::int64_t lines = depth == 0 ? 0 : static_cast<std::int64_t>(weights.size()) / depth;
  for (std::int64_t begin = 0; begin < depth; begin += array_.rows) {
    const std::int64_t end = std::min(depth, begin + array_.rows);
    double reach = 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      double sum = 0;
      for (std::int64_t k = begin; k < end; ++k) sum += std::abs(int{weights_[line * depth + k]});
      reach = std::max(reach, sum);
    }
    lsb_.push_back(std::ldexp(array_.adc_range * 255 * std::max(reach, 1.0), 1 - array_.adc_bits));
  }
}

double AnalogProducts::read(double sum, double lsb) const {
  if (array_.adc_bits == 0) return sum;
  const double codes = std::ldexp(1.0, array_.adc_bits - 1);
  return static_cast<double>(round_ties_even(std::clamp(sum / lsb, -codes, codes - 1))) * lsb;
}

void AnalogProducts::add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth,
                                  std::int32_t* sums) const {
  const float* b_lines = noisy_.data() + (b.numbers - weights_);
  for (std::int64_t i = 0; i < a.count; ++i)
    for (std::int64_t j = 0; j < b.count; ++j) {
      double total = 0;
      for (std::int64_t begin = 0, tile = 0; begin < depth; begin += array_.rows, ++tile) {
        const std::int64_t end = std::min(depth, begin + array_.rows);
        double sum = 0;
        for (std::int64_t k = begin; k < end; ++k) sum += double{b_lines[j * depth + k]} * a.numbers[i * depth + k];
        total += read(sum, lsb_[static_cast<std::size_t>(tile)]);
      }
      std::int32_t& to = sums[i * a.sum_stride + j * b.sum_stride];
      to = Int32Accumulator{}.add(to, static_cast<std::int32_t>(round_ties_even(total)));
    }
}

}  // namespace octet
