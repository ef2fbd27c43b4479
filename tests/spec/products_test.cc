// Sums of products as chips compute them, every line with every line, beside the formulas of their headers.
#include <gtest/gtest.h>

#include <cmath>

#include "octet/spec/analog_products.h"
#include "octet/spec/pair_products.h"

namespace octet {
namespace {

using Numbers = std::vector<std::int16_t>;

Numbers numbers(std::int64_t count, std::int64_t factor, std::int64_t least, std::int64_t greatest) {
  Numbers result;
  for (std::int64_t k = 0; k < count; ++k)
    result.push_back(static_cast<std::int16_t>(least + k * k * factor % (greatest - least + 1)));
  return result;
}

// 37 lines of a and 5 of b: whole and partial groups of lines.
constexpr std::int64_t kLines = 37, kWeightLines = 5, kStart = 7;

template <typename Products, typename Want>
void expect_sums(const Products& products, const Numbers& a, const Numbers& b, std::int64_t depth, Want want) {
  std::vector<std::int32_t> sums(kLines * kWeightLines, kStart);
  products.add_products({a.data(), kLines, 1}, {b.data(), kWeightLines, kLines}, depth, sums.data());
  for (std::int64_t i = 0; i < kLines; ++i)
    for (std::int64_t j = 0; j < kWeightLines; ++j)
      EXPECT_EQ(sums[static_cast<std::size_t>(i + j * kLines)],
                kStart + want(&a[static_cast<std::size_t>(i * depth)], &b[static_cast<std::size_t>(j * depth)]))
          << "line " << i << ", weights " << j << ", depth " << depth;
}

TEST(AnalogProducts, AreReadTileByTile) {
  for (const std::int64_t depth : {1, 4, 10, 33}) {
    const Numbers a = numbers(kLines * depth, 37, 0, 255), b = numbers(kWeightLines * depth, 29, -127, 127);
    for (const int rows : {4, 64}) {
      std::vector<double> lsb;  // 6 bits over half of what a tile reaches
      for (std::int64_t begin = 0; begin < depth; begin += rows) {
        double reach = 1;
        for (std::int64_t line = 0; line < kWeightLines; ++line) {
          double sum = 0;
          for (std::int64_t k = begin; k < std::min(depth, begin + rows); ++k)
            sum += std::abs(b[static_cast<std::size_t>(line * depth + k)]);
          reach = std::max(reach, sum);
        }
        lsb.push_back(0.5 * 255 * reach / 32);
      }
      const AnalogProducts products({.analog = {.rows = rows, .adc_bits = 6, .adc_range = 0.5}}, b, depth);
      expect_sums(products, a, b, depth, [&](const std::int16_t* x, const std::int16_t* w) {
        double total = 0;
        for (std::int64_t begin = 0; begin < depth; begin += rows) {
          double sum = 0;
          for (std::int64_t k = begin; k < std::min(depth, begin + rows); ++k) sum += x[k] * w[k];
          const double step = lsb[static_cast<std::size_t>(begin / rows)];
          total += std::nearbyint(std::clamp(sum / step, -32.0, 31.0)) * step;
        }
        return static_cast<std::int32_t>(std::nearbyint(total));
      });
    }
  }
}

TEST(PairProducts, LoseWhatIsBeyond16Bits) {
  constexpr std::int32_t kZeroPoint = 3;
  std::int64_t lossy = 0;
  for (const std::int64_t depth : {1, 2, 9, 33, 64}) {
    const Numbers a = numbers(kLines * depth, 37, -kZeroPoint, 255 - kZeroPoint);
    const Numbers b = numbers(kWeightLines * depth, 29, -128, 127);
    const WeightLines lines = {.numbers = b, .depth = depth, .products = depth, .x_zero_point = kZeroPoint};
    expect_sums(PairProducts(lines), a, b, depth, [&](const std::int16_t* x, const std::int16_t* w) {
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) sum += x[k] * w[k];
      for (std::int64_t k = 0; k + 1 < depth; k += 2) {
        const std::int32_t pair = (x[k] + kZeroPoint) * w[k] + (x[k + 1] + kZeroPoint) * w[k + 1];
        if (pair > 32767) sum -= pair - 32767;
        if (pair < -32768) sum -= pair + 32768;
        lossy += pair > 32767 || pair < -32768;
      }
      return sum;
    });
  }
  EXPECT_GT(lossy, 100);
}

}  // namespace
}  // namespace octet
