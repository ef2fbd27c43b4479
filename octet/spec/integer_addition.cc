#include "octet/spec/integer_addition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/support/corridor.h"

namespace octet {
namespace {

constexpr int kLargestAdditionShift = 31, kAdditionBits = 31, kRoundedBits = 24;

using Wide = __int128;

class AdditionSearch {
 public:
  AdditionSearch(const QuantizedBinary& add, double ratio_a, double ratio_b, const IntegerRange& range)
      : ratio_a_(ratio_a), ratio_b_(ratio_b), range_(range) {
    for (std::int64_t a = range.min; a <= range.max; ++a)
      rows_.push_back(every_step({range.min, range.max}, [&](std::int64_t b) {
        return add(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
      }));
    for (const Staircase& row : rows_) corridors_.push_back(corners(corridor_of(row, range, falls())));
  }

  IntegerAddition find() const {
    IntegerAddition found =
        std::isfinite(ratio_a_) && std::isfinite(ratio_b_) ? equal().value_or(rounded()) : rounded();
    add_exceptions(found);
    return found;
  }

 private:
  // As b grows.
  bool falls() const { return ratio_b_ < 0; }

  std::optional<IntegerAddition> equal() const {
    const double largest = std::max(std::abs(ratio_a_), std::abs(ratio_b_));
    for (int shift = 0; shift <= kLargestAdditionShift && std::ldexp(largest, shift - kAdditionBits) < 1; ++shift)
      if (const std::optional<IntegerAddition> found = equal_at(shift)) return found;
    return std::nullopt;
  }

  // Multipliers of either sign next to the ratio, from its own sign on.
  static std::array<std::int64_t, 4> near(double ratio, int shift) {
    const auto below = static_cast<std::int64_t>(std::floor(std::ldexp(std::abs(ratio), shift)));
    return {below - 1, below, below + 1, below + 2};
  }

  std::optional<IntegerAddition> equal_at(int shift) const {
    // By multiplier of b: what a row leaves for a * ma + addend.
    std::array<std::vector<AddendInterval>, 4> rooms;
    const std::array<std::int64_t, 4> near_a = near(ratio_a_, shift), near_b = near(ratio_b_, shift);
    for (std::size_t k = 0; k < near_b.size(); ++k) {
      if (near_b[k] < 0) continue;
      for (const Corridor& corridor : corridors_) {
        const AddendInterval& room = rooms[k].emplace_back(addends(corridor, {near_b[k], shift}));
        if (!room.least || !room.greatest || *room.least <= *room.greatest) continue;
        rooms[k].clear();
        break;
      }
    }
    for (const std::int64_t ma : near_a)
      for (std::size_t k = 0; k < near_b.size(); ++k) {
        if (ma < 0 || rooms[k].empty()) continue;
        const std::int64_t signed_ma = ratio_a_ < 0 ? -ma : ma, signed_mb = falls() ? -near_b[k] : near_b[k];
        if (const std::optional<std::int64_t> addend = common_addend(rooms[k], signed_ma))
          return IntegerAddition{signed_ma, signed_mb, *addend, shift, range_, {}};
      }
    return std::nullopt;
  }

  std::optional<std::int64_t> common_addend(const std::vector<AddendInterval>& rooms, std::int64_t ma) const {
    Wide least = std::numeric_limits<std::int64_t>::min(), greatest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < rooms.size(); ++k) {
      const Wide product = Wide{ma} * (range_.min + static_cast<std::int64_t>(k));
      if (rooms[k].least) least = std::max(least, *rooms[k].least - product);
      if (rooms[k].greatest) greatest = std::min(greatest, *rooms[k].greatest - product);
    }
    if (least > greatest) return std::nullopt;
    return static_cast<std::int64_t>((least + greatest) >> 1);
  }

  // Multipliers of a fixed width, and the addend that most pairs agree with.
  IntegerAddition rounded() const {
    const auto real = [](double ratio) { return std::isfinite(ratio) ? ratio : 0; };
    const double a = real(ratio_a_), b = real(ratio_b_);
    const FixedMultiplier wider = fixed_multiplier(std::max(std::abs(a), std::abs(b)), kRoundedBits);
    const int shift = std::clamp(wider.shift, 0, kLargestAdditionShift);
    // Beyond this a step of one operand saturates whatever the other is.
    const auto scaled = [&](double ratio) {
      return std::llround(std::clamp(std::ldexp(ratio, shift), -0x1p40, 0x1p40));
    };
    IntegerAddition found{scaled(a), scaled(b), 0, shift, range_, {}};
    found.addend = favourite_addend(found);
    return found;
  }

  // An addend within the limits of the most pairs.
  std::int64_t favourite_addend(const IntegerAddition& plane) const {
    struct End {
      std::int64_t addend;
      int pairs;  // more that agree from there on
    };
    std::vector<End> ends;
    for_each_pair([&](std::int64_t a, std::int64_t b, std::int64_t value) {
      const std::int64_t rest = -(a * plane.ma + b * plane.mb), unit = std::int64_t{1} << plane.shift;
      ends.push_back({value == range_.min ? std::numeric_limits<std::int64_t>::min() : value * unit + rest, 1});
      if (value != range_.max) ends.push_back({(value + 1) * unit + rest, -1});
    });
    std::sort(ends.begin(), ends.end(), [](const End& x, const End& y) {
      return x.addend != y.addend ? x.addend < y.addend : x.pairs < y.pairs;
    });
    std::int64_t agreeing = 0, most = 0, favourite = 0;
    for (const End& end : ends) {
      agreeing += end.pairs;
      if (agreeing <= most) continue;
      most = agreeing;
      favourite = end.addend;
    }
    return std::max(favourite, -(std::int64_t{1} << 61));  // every pair is at the low end already there
  }

  template <typename F>
  void for_each_pair(const F& f) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (std::size_t s = 0; s < rows_[k].steps.size(); ++s)
        for (std::int64_t b = rows_[k].steps[s].first; b <= rows_[k].last(s); ++b)
          f(range_.min + static_cast<std::int64_t>(k), b, std::int64_t{rows_[k].steps[s].value});
  }

  void add_exceptions(IntegerAddition& found) const {
    for_each_pair([&](std::int64_t wide_a, std::int64_t wide_b, std::int64_t value) {
      const auto a = static_cast<std::int32_t>(wide_a), b = static_cast<std::int32_t>(wide_b);
      if (found.plane(a, b) == value) return;
      if (!found.exceptions.empty()) {
        PairException& before = found.exceptions.back();
        if (before.a == a && before.last + 1 == b && before.value == value) {
          before.last = b;
          return;
        }
      }
      found.exceptions.push_back({a, b, b, static_cast<std::int32_t>(value)});
    });
  }

  double ratio_a_, ratio_b_;
  IntegerRange range_;
  std::vector<Staircase> rows_;  // by a
  std::vector<Corridor> corridors_;
};

}  // namespace

std::int32_t IntegerAddition::plane(std::int32_t a, std::int32_t b) const {
  return static_cast<std::int32_t>(std::clamp((a * ma + b * mb + addend) >> shift, range.min, range.max));
}

std::int32_t IntegerAddition::operator()(std::int32_t a, std::int32_t b) const {
  const auto next = std::upper_bound(exceptions.begin(), exceptions.end(), std::pair(a, b),
                                     [](const std::pair<std::int32_t, std::int32_t>& wanted,
                                        const PairException& some) { return wanted < std::pair(some.a, some.first); });
  if (next != exceptions.begin() && std::prev(next)->a == a && b <= std::prev(next)->last)
    return std::prev(next)->value;
  return plane(a, b);
}

IntegerAddition integer_addition(const QuantizedBinary& add, double ratio_a, double ratio_b,
                                 const IntegerRange& range) {
  return AdditionSearch(add, ratio_a, ratio_b, range).find();
}

IntegerAddition integer_addition(const Quantization& a, const Quantization& b, const Quantization& y,
                                 const IntegerRange& range, bool swaps) {
  const double ratio_a = double{a.scale} / double{y.scale}, ratio_b = double{b.scale} / double{y.scale};
  if (!swaps) return integer_addition(qlinear_add(a, b, y, range, {}), ratio_a, ratio_b, range);
  const QuantizedBinary exchanged = qlinear_add(b, a, y, range, {});
  return integer_addition([&](std::int32_t x, std::int32_t z, std::int64_t) { return exchanged(z, x); }, ratio_a,
                          ratio_b, range);
}

std::int64_t excepted(const IntegerAddition& addition) {
  std::int64_t count = 0;
  for (const PairException& exception : addition.exceptions) count += exception.last - exception.first + 1;
  return count;
}

IntegerWidths widths(const IntegerAddition& addition) {
  const Interval byte{addition.range.min, addition.range.max};
  const IntegerRequantizer of_a{addition.ma, addition.addend, addition.shift, addition.range, {}};
  const IntegerRequantizer of_b{addition.mb, addition.addend, addition.shift, addition.range, {}};
  IntegerWidths found = widths(of_a, byte);
  found.include(widths(of_b, byte));
  const auto [low_a, high_a] = std::minmax({byte.least * addition.ma, byte.greatest * addition.ma});
  const auto [low_b, high_b] = std::minmax({byte.least * addition.mb, byte.greatest * addition.mb});
  found.sum = signed_width({low_a + low_b + addition.addend, high_a + high_b + addition.addend});
  return found;
}

}  // namespace octet
