// accumulator.h: sums of products in a register of a given width.
//
//   sum = fit(sum)
//   sum = fit(sum + a[k] * b[k])             for k ascending; fit wraps to two's complement or saturates
//
// a and b are 8-bit numbers less their zero points, so within [-255, 255]; each product lies within [-65025, 65025] and
// is exact. A sum starts from the bias, or from 0. The order of addition is the operator's own; it matters only to
// accumulators that saturate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "octet/spec/arithmetic.h"

namespace octet {

// The length that lines of `depth` numbers are given, with zeros behind, so that vector loops have no remainder: the
// next multiple of a vector's length, except for lines too short for that.
constexpr std::int64_t padded_length(std::int64_t depth) {
  constexpr std::int64_t kVector = 16;
  return depth < kVector ? depth : (depth + kVector - 1) / kVector * kVector;
}

// Adjacent lines of numbers; the sums of neighbouring lines are sum_stride apart.
struct AccumulatorLines {
  const std::int16_t* numbers;
  std::int64_t count, sum_stride;
};

// 32 bits, wrapping.
struct Int32Accumulator {
  constexpr std::int32_t add(std::int32_t sum, std::int32_t value) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(value));
  }

  // Adds to sums[i * a.sum_stride + j * b.sum_stride] the products of line i of a with line j of b, `depth` long both.
  void add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const;
};

// Any width and either overflow.
struct NarrowAccumulator {
  int bits;
  Overflow overflow;

  constexpr std::int32_t add(std::int32_t sum, std::int32_t value) const {
    const std::int64_t exact = std::int64_t{sum} + value;
    if (overflow == Overflow::kSaturate) {
      const std::int64_t max = (std::int64_t{1} << (bits - 1)) - 1;
      return static_cast<std::int32_t>(std::clamp(exact, -max - 1, max));
    }
    const int unused = 64 - bits;
    return static_cast<std::int32_t>(static_cast<std::int64_t>(static_cast<std::uint64_t>(exact) << unused) >> unused);
  }

  void add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const;
};

// Calls f with the accumulator that `arithmetic` asks for, so that loops are compiled for each.
template <typename F>
decltype(auto) with_accumulator(const Arithmetic& arithmetic, F&& f) {
  if (arithmetic.accumulator_bits == 32 && arithmetic.accumulator_overflow == Overflow::kWrap)
    return f(Int32Accumulator{});
  return f(NarrowAccumulator{arithmetic.accumulator_bits, arithmetic.accumulator_overflow});
}

}  // namespace octet
