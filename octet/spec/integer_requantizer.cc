#include "octet/spec/integer_requantizer.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "octet/spec/support/corridor.h"

namespace octet {
namespace {

constexpr int kMultiplierBits = 31;
constexpr int kExactExceptions = 4;

using Wide = __int128;

bool fits_int64(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

// Requires b > 0.
Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

struct AffineLine {
  FixedMultiplier slope;
  std::int64_t addend = 0;
};

class LineSearch {
 public:
  // Accumulators as the corridor has them.
  explicit LineSearch(const Interval& reach) : reach_(reach) {}

  AffineLine find(Corridor corridor) const {
    for (int exceptions = 0; exceptions <= kExactExceptions; ++exceptions)
      if (const std::optional<AffineLine> line = leaving_out(corridor, exceptions)) return *line;
    for (;;) {
      const CorridorSlopes found = slopes(corridor);
      if (const std::optional<AffineLine> line = best(corridor, found)) return *line;
      std::optional<Corridor> widest;
      for (Corridor& less : reduced(corridor, found))
        if (!widest || gap(less) < gap(*widest)) widest = std::move(less);
      corridor = std::move(*widest);
    }
  }

 private:
  // The line that passes, if its numbers have room.
  std::optional<AffineLine> best(const Corridor& corridor, const CorridorSlopes& found) const {
    const std::optional<FixedMultiplier> slope = narrowest_multiplier(found.interval, kMultiplierBits);
    if (!slope) return std::nullopt;
    const AddendInterval room = addends(corridor, *slope);
    const Wide least = room.least.value_or(room.greatest.value_or(0)), greatest = room.greatest.value_or(least);
    const Wide addend = floor_quotient(least + greatest, 2);
    for (const std::int64_t end : {reach_.least, reach_.greatest})
      if (!fits_int64(addend) || !fits_int64(Wide{end} * slope->m + addend)) return std::nullopt;
    return AffineLine{*slope, static_cast<std::int64_t>(addend)};
  }

  // With as many points left out: the narrowest of all lines that there are.
  std::optional<AffineLine> leaving_out(const Corridor& corridor, int points) const {
    const CorridorSlopes found = slopes(corridor);
    if (points == 0) return best(corridor, found);
    std::optional<AffineLine> narrowest;
    for (const Corridor& less : reduced(corridor, found))
      if (const std::optional<AffineLine> line = leaving_out(less, points - 1);
          line && (!narrowest || is_narrower(line->slope, narrowest->slope)))
        narrowest = line;
    return narrowest;
  }

  static bool is_narrower(const FixedMultiplier& a, const FixedMultiplier& b) {
    return a.bits() != b.bits() ? a.bits() < b.bits() : a.shift < b.shift;
  }

  // The corridor without one of the points that leave no line.
  static std::vector<Corridor> reduced(const Corridor& corridor, const CorridorSlopes& found) {
    std::vector<Corridor> results;
    const auto without = [&](std::vector<CorridorPoint> Corridor::*side, std::size_t point) {
      Corridor& less = results.emplace_back(corridor);
      (less.*side).erase((less.*side).begin() + static_cast<std::ptrdiff_t>(point));
    };
    for (std::size_t k = 0; k < found.gates.size(); ++k) {
      const CorridorGate& gate = found.gates[k];
      if (k == 0 || gate.floor != found.gates[0].floor) without(&Corridor::floor, gate.floor);
      if (k == 0 || gate.ceiling != found.gates[0].ceiling) without(&Corridor::ceiling, gate.ceiling);
    }
    return results;
  }

  // By how much the ends of its slopes have crossed.
  static double gap(const Corridor& corridor) {
    const FractionInterval interval = slopes(corridor).interval;
    if (interval.impossible) return std::numeric_limits<double>::infinity();
    if (interval.high_den == 0) return -std::numeric_limits<double>::infinity();
    return static_cast<double>(interval.low_num) / static_cast<double>(interval.low_den) -
           static_cast<double>(interval.high_num) / static_cast<double>(interval.high_den);
  }

  Interval reach_;
};

// The accumulators of [first, last] whose line is at least, or below, a value.
class LineSides {
 public:
  LineSides(const IntegerRequantizer& line, const Interval& run) : line_(line), run_(run) {}

  Interval at_least(std::int64_t value) const { return side(value, true); }
  Interval below(std::int64_t value) const { return side(value, false); }

 private:
  Interval side(std::int64_t value, bool reached) const {
    const Interval none{run_.greatest + 1, run_.greatest};
    if (value <= line_.range.min) return reached ? run_ : none;
    if (value > line_.range.max) return reached ? none : run_;
    const Wide wanted = (Wide{value} << line_.shift) - line_.addend;  // acc * m >= wanted
    if (line_.m == 0) return (0 >= wanted) == reached ? run_ : none;
    const bool rises = line_.m > 0;
    // From `turn` on where it rises, up to it where it falls.
    const Wide turn = rises ? -floor_quotient(-wanted, line_.m) : floor_quotient(-wanted, -line_.m);
    const auto within = [&](Wide accumulator) {
      return static_cast<std::int64_t>(std::clamp<Wide>(accumulator, run_.least - 1, run_.greatest + 1));
    };
    if (rises == reached) return {std::max(run_.least, within(rises ? turn : turn + 1)), run_.greatest};
    return {run_.least, std::min(run_.greatest, within(rises ? turn - 1 : turn))};
  }

  const IntegerRequantizer& line_;
  Interval run_;
};

// Where the line is right at both ends of a step, it is right between them, since it does not turn.
void add_exceptions(const Staircase& stairs, IntegerRequantizer& requantizer) {
  for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
    const std::int32_t value = stairs.steps[k].value;
    const Interval run{stairs.steps[k].first, stairs.last(k)};
    if (requantizer.line(run.least) == value && requantizer.line(run.greatest) == value) continue;
    const LineSides sides(requantizer, run);
    Interval wrong[] = {sides.below(value), sides.at_least(std::int64_t{value} + 1)};
    if (wrong[1].least < wrong[0].least) std::swap(wrong[0], wrong[1]);
    for (const Interval& some : wrong) {
      if (some.least > some.greatest) continue;
      std::vector<RequantizerException>& found = requantizer.exceptions;
      if (!found.empty() && found.back().last + 1 == some.least && found.back().value == value)
        found.back().last = some.greatest;
      else
        found.push_back({some.least, some.greatest, value});
    }
  }
}

}  // namespace

std::int32_t IntegerRequantizer::line(std::int64_t accumulator) const {
  return static_cast<std::int32_t>(std::clamp((accumulator * m + addend) >> shift, range.min, range.max));
}

std::int32_t IntegerRequantizer::operator()(std::int64_t accumulator) const {
  const auto next = std::upper_bound(
      exceptions.begin(), exceptions.end(), accumulator,
      [](std::int64_t wanted, const RequantizerException& exception) { return wanted < exception.first; });
  if (next != exceptions.begin() && accumulator <= std::prev(next)->last) return std::prev(next)->value;
  return line(accumulator);
}

IntegerRequantizer integer_requantizer(const Staircase& stairs, const IntegerRange& range, const FixedMultiplier& slope,
                                       std::int64_t addend) {
  IntegerRequantizer found{slope.m, addend, slope.shift, range, {}};
  add_exceptions(stairs, found);
  return found;
}

IntegerRequantizer integer_requantizer(const Staircase& stairs, const IntegerRange& range) {
  const std::vector<StairStep>& steps = stairs.steps;
  if (steps.size() == 1) return integer_requantizer(stairs, range, {}, steps[0].value);
  std::size_t falling = 0;
  for (std::size_t k = 1; k < steps.size(); ++k) falling += steps[k].value < steps[k - 1].value ? 1 : 0;
  const bool falls = 2 * falling > steps.size() - 1;
  const Interval reach = stairs.reach();
  const LineSearch search(falls ? Interval{-reach.greatest, -reach.least} : reach);
  AffineLine line = search.find(corridor_of(stairs, range, falls));
  if (falls) line.slope.m = -line.slope.m;
  return integer_requantizer(stairs, range, line.slope, line.addend);
}

std::int64_t excepted(const IntegerRequantizer& requantizer) {
  std::int64_t count = 0;
  for (const RequantizerException& exception : requantizer.exceptions) count += exception.last - exception.first + 1;
  return count;
}

void IntegerWidths::include(const IntegerWidths& other) {
  m = std::max(m, other.m);
  product = std::max(product, other.product);
  sum = std::max(sum, other.sum);
}

IntegerWidths widths(const IntegerRequantizer& requantizer, const Interval& reach) {
  const auto [low, high] = std::minmax({reach.least * requantizer.m, reach.greatest * requantizer.m});
  return {FixedMultiplier{requantizer.m, requantizer.shift}.bits(), signed_width({low, high}),
          signed_width({low + requantizer.addend, high + requantizer.addend})};
}

}  // namespace octet
