#include "octet/spec/support/corridor.h"

#include <algorithm>
#include <optional>
#include <span>

namespace octet {
namespace {

// The corners that no line from above (side 1) or from below (side -1) gets past without touching.
std::vector<std::size_t> hull(std::span<const CorridorPoint> points, std::int64_t side) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const CorridorPoint& next = points[k];
    if (!found.empty() && points[found.back()].x == next.x) {
      if (side * (next.y - points[found.back()].y) <= 0) continue;
      found.pop_back();
    }
    while (found.size() > 1) {
      const CorridorPoint &from = points[found[found.size() - 2]], &corner = points[found.back()];
      const std::int64_t turn = (corner.x - from.x) * (next.y - from.y) - (corner.y - from.y) * (next.x - from.x);
      if (side * turn < 0) break;
      found.pop_back();
    }
    found.push_back(k);
  }
  return found;
}

__int128 rest(const CorridorPoint& point, const FixedMultiplier& slope) {
  return (static_cast<__int128>(point.y) << slope.shift) - static_cast<__int128>(point.x) * slope.m;
}

}  // namespace

Corridor corridor_of(const Staircase& stairs, const IntegerRange& range, bool falls) {
  Corridor found;
  for (std::size_t k = 0; k < stairs.steps.size(); ++k) {
    const auto [first, value] = stairs.steps[k];
    const std::int64_t last = stairs.last(k);
    if (value > range.min) found.floor.push_back({falls ? -last : first, value});
    if (value < range.max) found.ceiling.push_back({falls ? -first : last, std::int64_t{value} + 1});
  }
  if (falls) {
    std::reverse(found.floor.begin(), found.floor.end());
    std::reverse(found.ceiling.begin(), found.ceiling.end());
  }
  return found;
}

CorridorSlopes slopes(const Corridor& corridor) {
  CorridorSlopes found;
  std::optional<CorridorGate> steepest, flattest;
  const std::vector<std::size_t> ceilings = hull(corridor.ceiling, -1);
  for (const std::size_t i : hull(corridor.floor, 1))
    for (const std::size_t j : ceilings) {
      const CorridorPoint &below = corridor.floor[i], &above = corridor.ceiling[j];
      const std::int64_t across = above.x - below.x, up = above.y - below.y;
      if (across == 0 && up <= 0) {
        found.interval.impossible = true;
        found.gates = {{i, j}};
        return found;
      }
      if (across > 0 && found.interval.lower(up, across, false)) steepest = {i, j};
      if (across < 0 && found.interval.raise(-up, -across, false)) flattest = {i, j};
    }
  if (steepest) found.gates.push_back(*steepest);
  if (flattest) found.gates.push_back(*flattest);
  return found;
}

AddendInterval addends(const Corridor& corridor, const FixedMultiplier& slope) {
  AddendInterval found;
  for (const CorridorPoint& point : corridor.floor)
    if (const __int128 limit = rest(point, slope); !found.least || limit > *found.least) found.least = limit;
  for (const CorridorPoint& point : corridor.ceiling)
    if (const __int128 limit = rest(point, slope) - 1; !found.greatest || limit < *found.greatest)
      found.greatest = limit;
  return found;
}

Corridor corners(const Corridor& corridor) {
  Corridor found;
  for (const std::size_t k : hull(corridor.floor, 1)) found.floor.push_back(corridor.floor[k]);
  for (const std::size_t k : hull(corridor.ceiling, -1)) found.ceiling.push_back(corridor.ceiling[k]);
  return found;
}

}  // namespace octet
