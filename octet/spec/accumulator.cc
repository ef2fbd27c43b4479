#include "octet/spec/accumulator.h"

#include <limits>
#include <utility>

#include "octet/base/vectorize.h"
#include "octet/spec/support/side_by_side.h"

namespace octet {
namespace {

// So many products can't leave int32: within a block the compiler may add in any order.
constexpr std::int64_t kBlock = 32768;
static_assert(kBlock * 255 * 255 <= std::numeric_limits<std::int32_t>::max());

std::int32_t dot(const std::int16_t* a, const std::int16_t* b, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

struct FourSums {
  std::int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
};

// The same for four lines of b, so that a is read once for them.
FourSums four_dots(const std::int16_t* a, const std::int16_t* b, std::int64_t depth, std::int64_t count) {
  const std::int16_t *b1 = b + depth, *b2 = b1 + depth, *b3 = b2 + depth;
  FourSums sums;
  for (std::int64_t k = 0; k < count; ++k) {
    sums.s0 += a[k] * b[k];
    sums.s1 += a[k] * b1[k];
    sums.s2 += a[k] * b2[k];
    sums.s3 += a[k] * b3[k];
  }
  return sums;
}

// For accumulators below 32 bits: the sum of one and a product of 8-bit numbers fits 32 bits.
void saturate_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, int bits, std::int32_t* sums) {
  const std::int32_t high = (std::int32_t{1} << (bits - 1)) - 1, low = -high - 1;
  for (std::int64_t i = 0; i < a.count; i += kSideBySide) {
    const std::int64_t lines = std::min(kSideBySide, a.count - i);
    const std::vector<std::int16_t> side = side_by_side<std::int16_t>(a.numbers + i * depth, lines, depth);
    for (std::int64_t j = 0; j < b.count; ++j) {
      std::int32_t within[kSideBySide] = {};
      std::int32_t* const to = sums + i * a.sum_stride + j * b.sum_stride;
      for (std::int64_t line = 0; line < lines; ++line) within[line] = to[line * a.sum_stride];
      vectorized([result = within, columns = side.data(), numbers = b.numbers + j * depth, depth, low, high] {
        std::int32_t running[kSideBySide];
        for (std::int64_t line = 0; line < kSideBySide; ++line) running[line] = std::clamp(result[line], low, high);
        for (std::int64_t k = 0; k < depth; ++k)
          for (std::int64_t line = 0; line < kSideBySide; ++line)
            running[line] = std::clamp(running[line] + columns[k * kSideBySide + line] * numbers[k], low, high);
        std::copy_n(running, kSideBySide, result);
      });
      for (std::int64_t line = 0; line < lines; ++line) to[line * a.sum_stride] = within[line];
    }
  }
}

}  // namespace

void Int32Accumulator::add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth,
                                    std::int32_t* sums) const {
  if (b.count < 4) std::swap(a, b);
  for (std::int64_t begin = 0; begin < depth; begin += kBlock)
    vectorized([=, this] {
      const std::int64_t count = std::min(kBlock, depth - begin);
      std::int64_t j = 0;
      for (; j + 4 <= b.count; j += 4) {
        const std::int16_t* b_lines = b.numbers + j * depth + begin;
        for (std::int64_t i = 0; i < a.count; ++i) {
          const FourSums four = four_dots(a.numbers + i * depth + begin, b_lines, depth, count);
          std::int32_t* to = sums + i * a.sum_stride + j * b.sum_stride;
          to[0] = add(to[0], four.s0);
          to[b.sum_stride] = add(to[b.sum_stride], four.s1);
          to[2 * b.sum_stride] = add(to[2 * b.sum_stride], four.s2);
          to[3 * b.sum_stride] = add(to[3 * b.sum_stride], four.s3);
        }
      }
      for (; j < b.count; ++j)
        for (std::int64_t i = 0; i < a.count; ++i) {
          std::int32_t& sum = sums[i * a.sum_stride + j * b.sum_stride];
          sum = add(sum, dot(a.numbers + i * depth + begin, b.numbers + j * depth + begin, count));
        }
    });
}

void NarrowAccumulator::add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth,
                                     std::int32_t* sums) const {
  const auto for_each_sum = [&](auto f) {
    for (std::int64_t i = 0; i < a.count; ++i)
      for (std::int64_t j = 0; j < b.count; ++j) f(sums[i * a.sum_stride + j * b.sum_stride], i, j);
  };
  if (overflow == Overflow::kWrap) {  // bits that are cut off never come back: once at the end is the same
    Int32Accumulator{}.add_products(a, b, depth, sums);
    return for_each_sum([this](std::int32_t& sum, std::int64_t, std::int64_t) { sum = add(0, sum); });
  }
  if (bits < 32) return saturate_products(a, b, depth, bits, sums);
  for_each_sum([&](std::int32_t& sum, std::int64_t i, std::int64_t j) {
    std::int32_t within = add(0, sum);
    for (std::int64_t k = 0; k < depth; ++k) within = add(within, a.numbers[i * depth + k] * b.numbers[j * depth + k]);
    sum = within;
  });
}

}  // namespace octet
