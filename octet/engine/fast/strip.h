// strip.h: the input pixels that a piece of the output sees, side by side, the padding filled in.
//
// A strip is [kernel depth][rows][columns][channels of a group], so that a row of a kernel without dilation is one run of
// memory for every pixel, and no pixel is gathered twice.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/engine/fast/geometry.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {

struct StripForm {
  enum class Elements {
    kShorts,       // int16: x - zero point; padding is 0
    kBytes,        // uint8: x, of int8 x + 128; padding is the zero point
    kSignedBytes,  // int8: x, of uint8 x - 128; padding is the zero point
  };
  Elements elements = Elements::kShorts;

  // What bytes of x of this type are greater by in the strip.
  std::int32_t offset(DType x) const {
    if (elements == Elements::kShorts || (x == DType::kInt8) == (elements == Elements::kSignedBytes)) return 0;
    return elements == Elements::kBytes ? 128 : -128;
  }

  std::int64_t element_size() const { return elements == Elements::kShorts ? 2 : 1; }
};

// What a strip is filled with.
struct StripSource {
  const Operand& x;
  const std::byte* bytes = nullptr;  // of x
  std::int32_t zero_point = 0;
};

// Whether taps side by side make one run, and so how many there are in each.
std::int64_t taps_in_run(const Geometry& geometry);

// How a strip of a geometry is laid out, for pieces of so many rows and columns.
class Strip {
 public:
  Strip(const Geometry& geometry, StripForm form, std::int64_t piece_rows, std::int64_t piece_columns);

  std::int64_t bytes() const;
  // From an output pixel to its right and its lower neighbour, in bytes.
  std::int64_t pixel_step() const { return column_stride_ * channels_ * size_; }
  std::int64_t row_step() const { return row_stride_ * columns_ * channels_ * size_; }
  // Bytes from an output pixel to each tap, depth by depth, row by row.
  std::vector<std::int32_t> taps() const;
  // The same to the runs that taps side by side make; each has run_length() elements.
  std::vector<std::int32_t> runs() const;
  std::int64_t run_length() const { return taps_in_run(geometry_) * channels_; }

  // Fills it with what `piece` sees of one group of x.
  void fill(const Simd& simd, const StripSource& source, const Piece& piece, std::int64_t group, std::byte* to) const;

 private:
  // Positions of an axis inside the image: [first, behind).
  struct Range {
    std::int64_t first = 0, behind = 0;
  };
  // What a piece sees: one column of the strip is column `column + k * column_keep_` of the image, one row
  // `row + r * row_keep_`.
  struct View {
    std::int64_t row = 0, column = 0;    // of the image, may be outside
    std::int64_t rows = 0, columns = 0;  // of the strip
    Range inside_rows, inside_columns;
  };
  View view_of(const Piece& piece) const;
  static Range within(std::int64_t begin, std::int64_t step, std::int64_t count, std::int64_t size);

  class Filling;
  Geometry geometry_;
  StripForm form_;
  std::int64_t size_, channels_;
  // Where the kernel has one row or column, only those of the image that it meets are kept: every row_keep_-th row. Columns of few
  // channels are all kept, because many pixels at once are quicker to copy.
  std::int64_t row_keep_, column_keep_;
  std::int64_t row_stride_, column_stride_;  // of output pixels in the strip
  std::int64_t rows_, columns_;
};

}  // namespace octet::fast
