// geometry.h: a convolution over three spatial axes, of which the leading ones may be trivial, and how it is cut into pieces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "octet/engine/fast/kernel.h"

namespace octet::fast {

// Depth, height, width. One or two spatial axes are the last of the three.
using Axes = std::array<std::int64_t, 3>;

struct Geometry {
  std::int64_t images = 1, channels = 0, group = 1;  // channels of x, all groups
  Axes input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1}, strides{1, 1, 1}, dilations{1, 1, 1}, pads{0, 0, 0};

  std::int64_t group_channels() const { return channels / group; }
  std::int64_t input_pixels() const { return input[0] * input[1] * input[2]; }
  std::int64_t output_pixels() const { return output[0] * output[1] * output[2]; }
  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  // Every output pixel sees one input pixel, its own.
  bool is_pointwise() const;
};

// For x with 3 to 5 dimensions; nothing for others.
std::optional<Geometry> geometry_of(const std::optional<Window>& window, std::int64_t group, const Operand& x);
std::optional<Geometry> geometry_of(const work::Convolution& work, const Operand& x);
// A matrix product by weights: rows are pixels.
Geometry geometry_of_rows(std::int64_t rows, std::int64_t depth);

// The same convolution of all images as one long row, where it is pointwise.
Geometry flattened(Geometry geometry);

// Output pixels of one image and one depth: rows and columns.
struct Piece {
  std::int64_t image = 0, depth = 0, row = 0, rows = 0, column = 0, columns = 0;
};

// Cuts the output into pieces of at most `most_pixels` (a row at least, or as much of one as that), and into several where
// the work is worth it.
std::vector<Piece> pieces_of(const Geometry& geometry, std::int64_t most_pixels, std::int64_t products_per_pixel);

}  // namespace octet::fast
