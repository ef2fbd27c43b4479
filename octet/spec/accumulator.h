// accumulator.h: sums of products in a register of a given width.
//
//   sum[i+1] = fit(sum[i] + product[i])      fit wraps to two's complement or saturates, after every addition
//
// Each product of two zero-point-corrected 8-bit numbers lies within [-65025, 65025] and is exact; the order of
// addition is the operator's own and matters only to accumulators that saturate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "octet/spec/arithmetic.h"

namespace octet {

// 32 bits, wrapping: addition is associative, so compilers may vectorize it.
struct Int32Accumulator {
  constexpr std::int32_t add(std::int32_t sum, std::int32_t product) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(product));
  }
};

struct NarrowAccumulator {
  int bits;
  Overflow overflow;

  constexpr std::int32_t add(std::int32_t sum, std::int32_t product) const {
    const std::int64_t exact = std::int64_t{sum} + product;
    if (overflow == Overflow::kSaturate) {
      const std::int64_t max = (std::int64_t{1} << (bits - 1)) - 1;
      return static_cast<std::int32_t>(std::clamp(exact, -max - 1, max));
    }
    const int unused = 64 - bits;
    return static_cast<std::int32_t>(static_cast<std::int64_t>(static_cast<std::uint64_t>(exact) << unused) >> unused);
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
