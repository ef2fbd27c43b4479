#include "octet/analyze/fixed_multiplier.h"

#include <algorithm>
#include <bit>

#include "octet/spec/arithmetic.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

using Wide = __int128;

// The first accumulator of [least, greatest + 1] at which `reached` holds; it holds from there on.
template <typename Reached>
std::int64_t first_accumulator(const Requantization& channel, Reached&& reached) {
  std::int64_t low = channel.least, high = channel.greatest + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Requantizer requantizer(const Requantization& channel) {
  return {Arithmetic(), channel.multiplier, {channel.zero_point, channel.range, ZeroPoint::kAfterRounding}};
}

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

class Narrowing {
 public:
  // acc * r >= (or >) half of b.twice.
  void at_least(std::int64_t acc, const Boundary& b) {
    if (acc > 0)
      raise(b.twice, 2 * acc, b.closed);
    else if (acc < 0)
      lower(-b.twice, -2 * acc, b.closed);
    else if (b.twice > 0 || (b.twice == 0 && !b.closed))
      interval_.empty = true;
  }
  // The contrary.
  void below(std::int64_t acc, const Boundary& b) {
    if (acc > 0)
      lower(b.twice, 2 * acc, !b.closed);
    else if (acc < 0)
      raise(-b.twice, -2 * acc, !b.closed);
    else if (b.twice < 0 || (b.twice == 0 && b.closed))
      interval_.empty = true;
  }

  FractionInterval result() const {
    FractionInterval found = interval_;
    if (found.high_den != 0) {
      const Wide low = Wide{found.low_num} * found.high_den, high = Wide{found.high_num} * found.low_den;
      if (low > high || (low == high && !(found.low_closed && found.high_closed))) found.empty = true;
    }
    return found;
  }

 private:
  void raise(std::int64_t num, std::int64_t den, bool closed) {
    const Wide old = Wide{interval_.low_num} * den, other = Wide{num} * interval_.low_den;
    if (other < old || (other == old && closed)) return;
    interval_.low_num = num, interval_.low_den = den, interval_.low_closed = closed;
  }
  void lower(std::int64_t num, std::int64_t den, bool closed) {
    if (interval_.high_den != 0) {
      const Wide old = Wide{interval_.high_num} * den, other = Wide{num} * interval_.high_den;
      if (other > old || (other == old && closed)) return;
    }
    interval_.high_num = num, interval_.high_den = den, interval_.high_closed = closed;
  }

  FractionInterval interval_;
};

std::int64_t clamped(const Requantization& channel, std::int64_t whole) {
  return std::clamp(whole + channel.zero_point, channel.range.min, channel.range.max);
}

}  // namespace

FractionInterval equal_multipliers(const Requantization& channel, Rounding rounding) {
  const Requantizer requantize = requantizer(channel);
  Narrowing narrowing;
  for (std::int64_t q = channel.range.min + 1; q <= channel.range.max; ++q) {
    const std::int64_t first =
        first_accumulator(channel, [&](std::int64_t acc) { return requantize(static_cast<std::int32_t>(acc)) >= q; });
    const Boundary step = boundary(q - channel.zero_point, rounding);
    if (first <= channel.greatest) narrowing.at_least(first, step);
    if (first > channel.least) narrowing.below(first - 1, step);
  }
  return narrowing.result();
}

std::optional<std::int64_t> multiplier_at(const FractionInterval& interval, int shift) {
  if (interval.empty) return std::nullopt;
  const Wide low = Wide{interval.low_num} << shift;
  Wide m = low <= 0 ? 0 : (low + interval.low_den - 1) / interval.low_den;
  if (!interval.low_closed && m * interval.low_den == low) ++m;
  if (interval.high_den != 0) {
    const Wide high = Wide{interval.high_num} << shift, end = m * interval.high_den;
    if (end > high || (end == high && !interval.high_closed)) return std::nullopt;
  }
  if (m > Wide{INT64_MAX}) return std::nullopt;
  return static_cast<std::int64_t>(m);
}

std::optional<MultiplierAndShift> narrowest_multiplier(const FractionInterval& interval, int bits) {
  constexpr int kLargestShift = 62;
  for (int shift = 0; shift <= kLargestShift; ++shift)
    if (const std::optional<std::int64_t> m = multiplier_at(interval, shift)) {
      const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(*m)));
      if (width >= bits) return std::nullopt;
      return MultiplierAndShift{*m, shift, width};
    }
  return std::nullopt;
}

std::int64_t differing_accumulators(const Requantization& channel, Rounding rounding) {
  const Requantizer requantize = requantizer(channel);
  const FixedMultiplier fixed = fixed_multiplier(channel.multiplier, 31);
  const auto by_fixed = [&](std::int64_t acc) {
    Arithmetic arithmetic;
    arithmetic.rounding = rounding;
    arithmetic.product = Product::kFixedSingle;
    return clamped(channel, fixed_product(static_cast<std::int32_t>(acc), fixed, 0, arithmetic));
  };
  // Between two steps of either staircase both stand still.
  std::vector<std::int64_t> steps = {channel.least, channel.greatest + 1};
  for (std::int64_t q = channel.range.min + 1; q <= channel.range.max; ++q) {
    steps.push_back(
        first_accumulator(channel, [&](std::int64_t acc) { return requantize(static_cast<std::int32_t>(acc)) >= q; }));
    steps.push_back(first_accumulator(channel, [&](std::int64_t acc) { return by_fixed(acc) >= q; }));
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t count = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    if (steps[i] < steps[i + 1] && requantize(static_cast<std::int32_t>(steps[i])) != by_fixed(steps[i]))
      count += steps[i + 1] - steps[i];
  return count;
}

std::int64_t count_ties(const Requantization& channel) {
  const auto product = [&](std::int64_t acc) {
    return static_cast<float>(static_cast<std::int32_t>(acc)) * channel.multiplier;
  };
  std::int64_t count = 0;
  // Between two integers that are both in range: beyond, either rounds to the same end.
  for (std::int64_t q = channel.range.min; q < channel.range.max; ++q) {
    const float tie = static_cast<float>(q - channel.zero_point) + 0.5F;
    count += first_accumulator(channel, [&](std::int64_t acc) { return product(acc) > tie; }) -
             first_accumulator(channel, [&](std::int64_t acc) { return product(acc) >= tie; });
  }
  return count;
}

}  // namespace octet
