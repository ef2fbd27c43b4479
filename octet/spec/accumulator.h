// accumulator.h: sums of products in a register of a given width.
//
//   sum[0] = fit(start)
//   sum[k+1] = fit(sum[k] + a[k] * b[k])     fit wraps to two's complement or saturates, after every addition
//
// a and b are 8-bit numbers less their zero points, so within [-255, 255]; each product lies within [-65025, 65025] and
// is exact. `start` is the bias, or 0. The order of addition is the operator's own; it matters only to accumulators
// that saturate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "octet/spec/arithmetic.h"

namespace octet {

// 32 bits, wrapping.
struct Int32Accumulator {
  constexpr std::int32_t add(std::int32_t sum, std::int32_t value) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(value));
  }

  std::int32_t dot(std::int32_t start, const std::int16_t* a, const std::int16_t* b, std::int64_t count) const {
    // So many products can't leave int32 (32768 * 65025 < 2^31), so within a block the compiler may add in any order.
    constexpr std::int64_t kBlock = 32768;
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, count);
      std::int32_t sum = 0;
      for (std::int64_t k = begin; k < end; ++k) sum += std::int32_t{a[k]} * std::int32_t{b[k]};
      start = add(start, sum);
    }
    return start;
  }
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

  constexpr std::int32_t dot(std::int32_t start, const std::int16_t* a, const std::int16_t* b,
                             std::int64_t count) const {
    std::int32_t sum = add(0, start);
    for (std::int64_t k = 0; k < count; ++k) sum = add(sum, std::int32_t{a[k]} * std::int32_t{b[k]});
    return sum;
  }
};

// Calls f with the accumulator that `arithmetic` asks for, so that loops are compiled for each.
template <typename F>
decltype(auto) with_accumulator(const Arithmetic& arithmetic, F&& f) {
  if (arithmetic.accumulator_bits == 32 && arithmetic.accumulator_overflow == Overflow::kWrap)
    return f(Int32Accumulator{});
  return f(NarrowAccumulator{arithmetic.accumulator_bits, arithmetic.accumulator_overflow});
}

}  // namespace octet
