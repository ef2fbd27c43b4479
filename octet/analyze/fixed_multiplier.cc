#include "octet/analyze/fixed_multiplier.h"

#include <algorithm>

#include "octet/spec/arithmetic.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

// round(t) >= k exactly if 2 t >= twice, or > where the end does not belong to it.
struct Boundary {
  std::int64_t twice;
  bool closed;
};
Boundary boundary(std::int64_t k, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTiesEven: return {2 * k - 1, k % 2 == 0};
    case Rounding::kTiesAway: return {2 * k - 1, k > 0};
    case Rounding::kTiesUp: return {2 * k - 1, true};
    case Rounding::kFloor: return {2 * k, true};
    case Rounding::kTowardZero: return k > 0 ? Boundary{2 * k, true} : Boundary{2 * k - 2, false};
  }
  return {2 * k - 1, true};
}

// acc * r >= (or >) half of b.twice.
void at_least(FractionInterval& r, std::int64_t acc, const Boundary& b) {
  if (acc > 0)
    r.raise(b.twice, 2 * acc, b.closed);
  else if (acc < 0)
    r.lower(-b.twice, -2 * acc, b.closed);
  else if (b.twice > 0 || (b.twice == 0 && !b.closed))
    r.impossible = true;
}
// The contrary.
void below(FractionInterval& r, std::int64_t acc, const Boundary& b) {
  if (acc > 0)
    r.lower(b.twice, 2 * acc, !b.closed);
  else if (acc < 0)
    r.raise(-b.twice, -2 * acc, !b.closed);
  else if (b.twice < 0 || (b.twice == 0 && b.closed))
    r.impossible = true;
}

}  // namespace

FractionInterval equal_multipliers(const Staircase& stairs, const Requantization& channel, Rounding rounding) {
  FractionInterval equal;
  for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
    const auto [first, value] = stairs.steps[k];
    const std::int64_t whole = std::int64_t{value} - channel.zero_point;
    if (value > channel.range.min) at_least(equal, first, boundary(whole, rounding));
    if (value < channel.range.max) below(equal, stairs.last(k), boundary(whole + 1, rounding));
  }
  return equal;
}

std::int64_t differing_accumulators(const Staircase& stairs, const Requantization& channel, Rounding rounding) {
  const FixedMultiplier fixed = fixed_multiplier(channel.multiplier, 31);
  const Arithmetic arithmetic = {.rounding = rounding, .product = Product::kFixedSingle};
  return differing(
      stairs, monotone_steps(stairs.reach(), [&](std::int64_t acc) {
        const std::int64_t whole = fixed_product(static_cast<std::int32_t>(acc), fixed, 0, arithmetic);
        return static_cast<std::int32_t>(std::clamp(whole + channel.zero_point, channel.range.min, channel.range.max));
      }));
}

std::int64_t count_ties(const Staircase& stairs, const Requantization& channel) {
  // Those of a step lie at its two ends, since the products between them do not turn back.
  const auto is_tie = [&](std::int64_t acc, float tie) {
    return static_cast<float>(static_cast<std::int32_t>(acc)) * channel.multiplier == tie;
  };
  std::int64_t count = 0;
  for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
    const auto [first, value] = stairs.steps[k];
    const std::int64_t last = stairs.last(k);
    const auto whole = static_cast<float>(value - channel.zero_point);
    // Between two integers that are both in range: beyond, either rounds to the same end.
    if (value > channel.range.min)
      for (std::int64_t acc = first; acc <= last && is_tie(acc, whole - 0.5F); ++acc) ++count;
    if (value < channel.range.max)
      for (std::int64_t acc = last; acc >= first && is_tie(acc, whole + 0.5F); --acc) ++count;
  }
  return count;
}

}  // namespace octet
