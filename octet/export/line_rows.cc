#include "octet/export/line_rows.h"

#include <algorithm>

namespace octet {
namespace {

// Whether b lies strictly to the left of the way from a to c: above it.
bool is_above(const LinePoint& a, const LinePoint& b, const LinePoint& c) {
  return static_cast<__int128>(b.value - a.value) * (c.at - a.at) >
         static_cast<__int128>(c.value - a.value) * (b.at - a.at);
}

// The corners of the upper hull (sign 1), or of the lower one (-1).
std::vector<LinePoint> hull(const std::vector<LinePoint>& points, int sign) {
  std::vector<LinePoint> corners;
  const auto flipped = [&](LinePoint point) { return LinePoint{point.at, sign * point.value}; };
  for (const LinePoint& point : points) {
    while (corners.size() > 1 &&
           !is_above(flipped(corners[corners.size() - 2]), flipped(corners.back()), flipped(point)))
      corners.pop_back();
    corners.push_back(point);
  }
  return corners;
}

// The accumulators of [first, last] next to its ends that have no exception; none where all have.
void add_plain_ends(const IntegerRequantizer& requantize, std::int64_t first, std::int64_t last, std::int32_t value,
                    std::vector<LinePoint>& points) {
  for (const RequantizerException& exception : requantize.exceptions) {
    if (exception.first <= first && first <= exception.last) first = exception.last + 1;
    if (exception.first > last || exception.last < first) continue;
    if (exception.last >= last) {
      last = exception.first - 1;
      break;
    }
  }
  if (first > last) return;
  points.push_back({first, value});
  if (last > first) points.push_back({last, value});
}

}  // namespace

std::vector<LinePoint> line_corners(const std::vector<LinePoint>& points, const IntegerRange& range) {
  std::vector<LinePoint> above, below, corners;  // where the line must lie
  for (const LinePoint& point : points) {
    if (point.value > range.min) above.push_back(point);
    if (point.value < range.max) below.push_back(point);
  }
  std::ranges::merge(hull(above, 1), hull(below, -1), std::back_inserter(corners), {}, &LinePoint::at, &LinePoint::at);
  const auto same = [](const LinePoint& a, const LinePoint& b) { return a.at == b.at; };
  corners.erase(std::unique(corners.begin(), corners.end(), same), corners.end());
  return corners;
}

std::vector<std::int64_t> line_rows(const IntegerRequantizer& requantize, const Interval& reach,
                                    const IntegerRange& range) {
  const auto value_at = [&](std::int64_t acc) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(requantize(acc), range.min, range.max));
  };
  const Staircase stairs = monotone_steps(reach, value_at);
  std::set<std::int64_t> rows = {reach.least, reach.greatest};
  std::vector<LinePoint> points;
  for (std::size_t step = 0; step < stairs.steps.size(); ++step)
    add_plain_ends(requantize, stairs.steps[step].first, stairs.last(step), stairs.steps[step].value, points);
  for (const LinePoint& corner : line_corners(points, range)) rows.insert(corner.at);
  const std::size_t count = stairs.steps.size();
  if (count > 1)
    for (const std::size_t step : {std::size_t{1}, count - 1})
      rows.insert({stairs.steps[step].first - 1, stairs.steps[step].first});
  for (const RequantizerException& exception : requantize.exceptions)
    rows.insert({exception.first - 1, exception.first, exception.last, exception.last + 1});
  std::vector<std::int64_t> inside;
  for (const std::int64_t acc : rows)
    if (acc >= reach.least && acc <= reach.greatest) inside.push_back(acc);
  return inside;
}

}  // namespace octet
