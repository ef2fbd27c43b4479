// corridor.h: the straight lines that pass between points: at or above those of the floor, below those of the ceiling.
//
//   a x + b >= y    at every point of the floor
//   a x + b <  y    at every point of the ceiling
//
// With a = m / 2^shift and b = addend / 2^shift these say (x m + addend) >> shift >= y, and < y. The largest of the
// integers y 2^shift - x m of the floor is such an addend if there is one at all, so any line that passes has one with
// integers of its slope: only the slope is searched for. Each point of the floor with each of the ceiling leaves it a
// half-open range; together they leave an interval of fractions. Of the points only the corners of the floor's upper and
// the ceiling's lower hull matter: a dozen, where a staircase has hundreds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "octet/spec/fraction_interval.h"
#include "octet/spec/staircase.h"

namespace octet {

struct CorridorPoint {
  std::int64_t x, y;
};

// Points are sorted by x.
struct Corridor {
  std::vector<CorridorPoint> floor, ceiling;
};

// What a line that rises must pass to have every step's value on all of the step: it has arrived at the first
// accumulator and is not past it at the last. Saturation to the range takes care of the rest. For a line that falls,
// accumulators are mirrored: x is -acc.
Corridor corridor_of(const Staircase& stairs, const IntegerRange& range, bool falls);

// The numbers of a point of the floor and of one of the ceiling.
struct CorridorGate {
  std::size_t floor, ceiling;
};

struct CorridorSlopes {
  FractionInterval interval;  // from 0 upwards
  // The points that set its ends. Where it is empty, no line passes unless one of these is gone.
  std::vector<CorridorGate> gates;
};
CorridorSlopes slopes(const Corridor& corridor);

// The addends of the lines with this slope: none if they cross. Without a floor there is no least, without a ceiling no
// greatest.
struct AddendInterval {
  std::optional<__int128> least, greatest;
};
AddendInterval addends(const Corridor& corridor, const FixedMultiplier& slope);

// The same lines pass.
Corridor corners(const Corridor& corridor);

}  // namespace octet
