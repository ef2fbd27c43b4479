// interval.h: a range of integers, and the register that holds it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace octet {

// Both ends belong to it.
struct Interval {
  std::int64_t least = 0, greatest = 0;

  void include(const Interval& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
  bool operator==(const Interval&) const = default;
};

// The range of the products of a number of `a` and a number of `b`.
inline Interval product_of(const Interval& a, const Interval& b) {
  const auto [least, greatest] =
      std::minmax({a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
  return {least, greatest};
}

// The bits of a two's complement register that holds both ends.
inline int signed_width(const Interval& interval) {
  const auto magnitude = [](std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? ~value : value); };
  return static_cast<int>(std::bit_width(std::max(magnitude(interval.least), magnitude(interval.greatest)))) + 1;
}

// More products or pixels than this wrap for certain, and this many still add up in 64 bits.
inline constexpr std::int64_t kMostSummed = std::int64_t{1} << 40;

// What an int32 accumulator that wraps can hold: where the sum leaves int32, anything.
inline Interval wrapped_to_int32(const Interval& sum) {
  const Interval all{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return sum.least < all.least || sum.greatest > all.greatest ? all : sum;
}

}  // namespace octet
