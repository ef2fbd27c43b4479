#include "octet/engine/fast/geometry.h"

#include <algorithm>

namespace octet::fast {

namespace {

// A part of the output reads at most so many bytes, padding included (strip.h). Real networks stay far below this limit;
// hostile files may not.
bool is_sane(const Geometry& g) {
  constexpr double kMostExtent = 1 << 24, kMostBytes = 1 << 28;
  double extents[3];  // of what a row of output pixels sees
  for (const std::size_t d : {0U, 1U, 2U}) {
    const auto number = [&](const Axes& axes) { return static_cast<double>(axes[d]); };
    extents[d] = (number(g.kernel) - 1) * number(g.dilations) + 1;
    if (d == 2) extents[d] += (number(g.output) - 1) * number(g.strides);
    if (extents[d] > kMostExtent || number(g.strides) > kMostExtent) return false;
  }
  const double channels = static_cast<double>(g.channels), pixels = 4096 + 65536 / channels;
  const double rows = extents[1] + pixels / static_cast<double>(g.output[2]) * static_cast<double>(g.strides[1]);
  return static_cast<double>(g.kernel[0]) * rows * extents[2] * channels * 2 <= kMostBytes;
}

}  // namespace

bool Geometry::is_pointwise() const {
  return group == 1 && taps() == 1 && input == output && strides == Axes{1, 1, 1} && pads == Axes{0, 0, 0};
}

std::optional<Geometry> geometry_of(const work::Convolution& work, const Operand& x) {
  return geometry_of(work.window, work.group, x);
}

std::optional<Geometry> geometry_of(const std::optional<Window>& window, std::int64_t group, const Operand& x) {
  if (!window || x.shape.size() < 3 || x.shape.size() > 5) return std::nullopt;
  const std::optional<Shape> output = concrete(window->output);
  if (!output) return std::nullopt;
  Geometry g{.images = x.shape[0], .channels = x.shape[1], .group = group};
  const std::size_t axes = x.shape.size() - 2;
  for (std::size_t d = 0; d < axes; ++d) {
    const std::size_t to = 3 - axes + d;
    g.input[to] = x.shape[d + 2];
    g.output[to] = (*output)[d];
    g.kernel[to] = window->kernel[d];
    g.strides[to] = window->strides[d];
    g.dilations[to] = window->dilations[d];
    g.pads[to] = window->pads_begin[d];
  }
  if (g.channels == 0 || g.output_pixels() == 0 || !is_sane(g)) return std::nullopt;
  return g;
}

Geometry geometry_of_rows(std::int64_t rows, std::int64_t depth) {
  return {.channels = depth, .input = {1, 1, rows}, .output = {1, 1, rows}};
}

Geometry flattened(Geometry geometry) {
  if (!geometry.is_pointwise()) return geometry;
  return geometry_of_rows(geometry.images * geometry.input_pixels(), geometry.channels);
}

std::vector<Piece> pieces_of(const Geometry& geometry, std::int64_t most_pixels, std::int64_t products_per_pixel) {
  constexpr std::int64_t kWorthAPiece = 200'000;  // products, some microseconds
  constexpr std::int64_t kPieces = 8;
  const std::int64_t pixels = geometry.images * geometry.output_pixels();
  const std::int64_t worth = std::max<std::int64_t>(1, kWorthAPiece / std::max<std::int64_t>(1, products_per_pixel));
  const std::int64_t wanted = std::clamp((pixels + kPieces - 1) / kPieces, std::min(worth, most_pixels), most_pixels);
  const auto [depths, rows, columns] = geometry.output;
  const auto even = [](std::int64_t whole, std::int64_t most) {  // a size that makes pieces of about the same size
    const std::int64_t count = (whole + most - 1) / most;
    return (whole + count - 1) / count;
  };
  const std::int64_t column_step = even(columns, std::min(columns, wanted));
  const std::int64_t row_step =
      column_step < columns ? 1 : even(rows, std::clamp<std::int64_t>(wanted / columns, 1, rows));
  std::vector<Piece> pieces;
  for (std::int64_t n = 0; n < geometry.images; ++n)
    for (std::int64_t d = 0; d < depths; ++d)
      for (std::int64_t r = 0; r < rows; r += row_step)
        for (std::int64_t c = 0; c < columns; c += column_step)
          pieces.push_back({n, d, r, std::min(row_step, rows - r), c, std::min(column_step, columns - c)});
  return pieces;
}

}  // namespace octet::fast
