// pair_products.h: sums of products of uint8 and int8 as x86 without VNNI computes them, with vpmaddubsw:
//
//   lost = Sum_j  p_j - saturate16(p_j),   p_j = X[2j] * W[2j] + X[2j+1] * W[2j+1]     the last of an odd number alone
//   sum  = bias + Sum x * w - lost
//
// X and W are the bytes as stored, padding the zero point; x and w are less their zero points, as runtimes correct for
// them exactly and afterwards. Two products reach 2 * 255 * 127 = 64770, and int16 ends at 32767.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "octet/spec/accumulator.h"

namespace octet {

// What of the sum of two products is beyond 16 bits.
constexpr std::int32_t lost_in_16_bits(std::int32_t pair) { return pair - std::clamp(pair, -32768, 32767); }

// The lines that come as b, and what zero points were subtracted.
struct WeightLines {
  std::span<const std::int16_t> numbers;  // all of them
  std::int64_t depth = 0;                 // of a line, with the zeros behind
  std::int64_t products = 0;              // without them
  std::int32_t x_zero_point = 0;
  std::vector<std::int32_t> zero_points;  // none means 0; one, or one for each line, over and over
};

class PairProducts {
 public:
  explicit PairProducts(const WeightLines& weights) : weights_(weights) {}

  // As Int32Accumulator::add_products; b lies in the weights.
  void add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const;

 private:
  const WeightLines& weights_;
};

}  // namespace octet
