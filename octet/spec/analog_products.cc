#include "octet/spec/analog_products.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "octet/base/vectors.h"
#include "octet/spec/random.h"
#include "octet/spec/support/side_by_side.h"

namespace octet {
namespace {

// sums[line] = Sum over the columns of numbers[k] * columns[k][line]. A product of 24 and 9 bits is exact, so nothing changes where it
// is fused with its addition.
template <typename V>
struct ColumnSums {
  const double* columns;
  const float* numbers;
  std::int64_t count;
  double* sums;

  void operator()() const {
    constexpr int kVectors = kSideBySide / V::kLanes;
    typename V::Type running[kVectors] = {};
    for (std::int64_t k = 0; k < count; ++k)
      unrolled<kVectors>([&](int v) {
        typename V::Type column;
        V::load(column, columns + k * kSideBySide + v * V::kLanes);
        V::multiply_add(running[v], double{numbers[k]}, column);
      });
    unrolled<kVectors>([&](int v) { V::store(running[v], sums + v * V::kLanes); });
  }
};

void sum_columns(const double* columns, const float* numbers, std::int64_t count, double* sums) {
  with_widest_vector<double>([&]<typename V>() { V::call(ColumnSums<V>{columns, numbers, count, sums}); });
}

}  // namespace

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
  for (std::int64_t i = 0; i < a.count; i += kSideBySide) {
    const std::int64_t lines = std::min(kSideBySide, a.count - i);
    const std::vector<double> side = side_by_side<double>(a.numbers + i * depth, lines, depth);
    for (std::int64_t j = 0; j < b.count; ++j) {
      std::array<double, kSideBySide> totals = {};
      for (std::int64_t begin = 0, tile = 0; begin < depth; begin += array_.rows, ++tile) {
        const std::int64_t count = std::min<std::int64_t>(depth - begin, array_.rows);
        std::array<double, kSideBySide> read_out = {};
        sum_columns(side.data() + begin * kSideBySide, b_lines + j * depth + begin, count, read_out.data());
        for (std::size_t line = 0; line < totals.size(); ++line)
          totals[line] += read(read_out[line], lsb_[static_cast<std::size_t>(tile)]);
      }
      for (std::int64_t line = 0; line < lines; ++line) {
        std::int32_t& to = sums[(i + line) * a.sum_stride + j * b.sum_stride];
        to = Int32Accumulator{}.add(to,
                                    static_cast<std::int32_t>(round_ties_even(totals[static_cast<std::size_t>(line)])));
      }
    }
  }
}

}  // namespace octet
