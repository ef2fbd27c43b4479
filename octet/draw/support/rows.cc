#include "octet/draw/support/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "octet/draw/support/flow.h"
#include "octet/draw/support/size.h"

namespace octet {

std::vector<Place> places_in_rows(const Picture& picture) {
  constexpr double kGap = 40, kPointsPerPixel = 0.75;
  std::vector<double> above(picture.nodes.size()), beside(picture.nodes.size());  // room for wires that come in
  for (const PictureWire& wire : picture.wires) {
    above[wire.to] = std::max(above[wire.to], size_of(wire, picture.direction).height);
    beside[wire.to] = std::max(beside[wire.to], size_of(wire, picture.direction).width);
  }
  const Flow flow(picture);
  const std::optional<std::vector<std::size_t>> order = order_of(flow);
  std::vector<std::size_t> row_of(picture.nodes.size());
  std::iota(row_of.begin(), row_of.end(), std::size_t{0});
  std::vector<Size> rows(picture.nodes.size());
  for (const std::size_t node : order ? *order : row_of) {
    std::size_t row = order ? 0 : node;
    if (order)
      for (const std::size_t before : flow.before[node]) row = std::max(row, row_of[before] + 1);
    row_of[node] = row;
    const Size size = size_of(picture.nodes[node], picture.direction);
    rows[row].width += std::max(size.width, beside[node]) + kGap;
    rows[row].height = std::max(rows[row].height, size.height + above[node]);
  }
  std::vector<double> right(rows.size());  // of what stands in the row so far
  for (std::size_t row = 0; row < rows.size(); ++row) right[row] = -rows[row].width / 2;
  std::vector<double> bottoms;
  for (const Size& row : rows) bottoms.push_back((bottoms.empty() ? 0 : bottoms.back()) - row.height);
  // Rows stand along a parabola: a straight wire over several of them does not run through all of their middles.
  const double height = bottoms.empty() ? 0 : -bottoms.back();
  const auto shift = [&](double y) { return height / 2 * std::pow(2 * -y / height - 1, 2); };
  std::vector<Place> places(picture.nodes.size());
  for (std::size_t node = 0; node < places.size(); ++node) {
    const std::size_t row = row_of[node];
    const Size size = size_of(picture.nodes[node], picture.direction);
    const double width = std::max(size.width, beside[node]) + kGap;
    const double across = (right[row] + width / 2 + shift(bottoms[row])) * kPointsPerPixel;
    const double along = (bottoms[row] + size.height / 2) * kPointsPerPixel;
    places[node] = picture.direction == Direction::kRight ? Place{-along, -across} : Place{across, along};
    right[row] += width;
  }
  return places;
}

}  // namespace octet
