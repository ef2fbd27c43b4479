// line_rows.h: on which accumulators a requantizer must be tried, so that no other straight line passes for it.
//
// saturate((acc * m + addend) >> shift) is right on every accumulator without exception if and only if the line
// acc * m / 2^shift + addend / 2^shift lies, on each of them, at or above the value, unless that is the least there is, and
// below the next one, unless it is the greatest. What a line lies above of is told by the corners of the convex hull of
// the points, and what it lies below of likewise: a line that is right on the corners is right everywhere. They are few,
// and nothing depends on the shift.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "octet/spec/integer_requantizer.h"

namespace octet {

// A place and the value that belongs there.
struct LinePoint {
  std::int64_t at;
  std::int32_t value;
};

// The corners, of points in ascending order: every line that is right on them, in the sense above, is right on all.
std::vector<LinePoint> line_corners(const std::vector<LinePoint>& points, const IntegerRange& range);

// Accumulators of the reach, in ascending order: its ends, the corners, both sides of the first and the last change of
// the result, and of both ends of every exception. `range` is what is left of the values behind saturation and clamps.
std::vector<std::int64_t> line_rows(const IntegerRequantizer& requantize, const Interval& reach,
                                    const IntegerRange& range);

}  // namespace octet
