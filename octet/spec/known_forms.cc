#include "octet/spec/known_forms.h"

#include <bit>

namespace octet {
namespace {

// Two numbers with the same bits are the same, NaN too.
std::int64_t bits_of(float number) { return std::bit_cast<std::int32_t>(number); }

}  // namespace

const IntegerAddition& KnownForms::addition(const Quantization& a, const Quantization& b, const Quantization& y,
                                            const IntegerRange& range, bool swaps) {
  const std::array<std::int64_t, 9> key = {bits_of(a.scale), a.zero_point,     bits_of(b.scale),
                                           b.zero_point,     bits_of(y.scale), y.zero_point,
                                           range.min,        range.max,        swaps ? 1 : 0};
  if (const auto known = additions_.find(key); known != additions_.end()) return known->second;
  return additions_.emplace(key, integer_addition(a, b, y, range, swaps)).first->second;
}

const IntegerRequantizer& KnownForms::requantizer(const Requantization& channel, const Interval& reach) {
  const std::array<std::int64_t, 6> key = {bits_of(channel.multiplier), channel.zero_point, channel.range.min,
                                           channel.range.max,           reach.least,        reach.greatest};
  if (const auto known = requantizers_.find(key); known != requantizers_.end()) return known->second;
  return requantizers_.emplace(key, integer_requantizer(staircase(channel, reach), channel.range)).first->second;
}

}  // namespace octet
