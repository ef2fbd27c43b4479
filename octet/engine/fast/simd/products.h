// products.h: sums of products, many pixels and many channels at a time.
//
// A unit is 4 bytes of x: two int16, or four uint8. Weights are packed so that the units of neighbouring channels stand side
// by side: a vector of weights meets one unit of x, repeated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "octet/engine/fast/simd/elements.h"
#include "octet/engine/fast/simd/extensions.h"

namespace octet::fast {

// acc[r, p, c] = start[c] + Sum over runs and units of x[r, p] * w[c], in int32 that wraps: some channels of rows of pixels.
struct Tile {
  const std::byte* x = nullptr;                 // the first pixel
  std::ptrdiff_t pixel_step = 0, row_step = 0;  // bytes from a pixel to the next, and to the one below
  std::int64_t rows = 1;
  const std::int32_t* runs = nullptr;  // bytes from a pixel to each of its runs
  std::int64_t run_count = 0, run_units = 0;
  const std::byte* w = nullptr;         // [run][unit][channel], units
  const std::int32_t* start = nullptr;  // null: 0
  std::int32_t* acc = nullptr;
  std::ptrdiff_t acc_step = 0, acc_row_step = 0;  // elements
  // Where there are multipliers, of these channels: not acc is stored but its byte, as Elements::requantize makes it. Products
  // by them are within int32.
  Requantization requantization = {};
  std::uint8_t* y = nullptr;
  std::ptrdiff_t y_step = 0, y_row_step = 0;
};

// Several matrix products side by side, of pairs of int16: acc[r, position, c] = Sum over the position's units of x[r] * w[c].
struct Matrices {
  const std::byte* x = nullptr;  // [row][unit of position 0, then of the next]
  std::int64_t rows = 0;
  std::int64_t positions = 0;
  const std::uint8_t* elements = nullptr;  // of each position
  std::int64_t element_units = 0;          // whole vectors of int16, 2 units at least
  std::ptrdiff_t row_step = 0;             // bytes
  const std::byte* w = nullptr;            // [position][two vectors of channels, or the last one][unit][channel]
  std::int64_t vectors = 0;                // of channels
  std::int64_t start_position = 0;         // whose sums begin with start[c]; those of the others with 0
  const std::int32_t* start = nullptr;
  std::int32_t* acc = nullptr;
};

// acc[p, c] = start[c] + Sum over taps of x[p, tap, c] * w[tap, c], of pixels of one row, or of two.
struct Depthwise {
  const std::int16_t* x = nullptr;              // the first pixel, channels last
  std::ptrdiff_t row_step = 0, pixel_step = 0;  // elements
  const std::int32_t* taps = nullptr;           // elements from a pixel to each tap; an even number of them
  std::int64_t tap_count = 0;
  const std::int16_t* w = nullptr;  // as packed_depthwise has them, or packed_row_pairs
  const std::int32_t* start = nullptr;
  std::int32_t* acc = nullptr;
  std::ptrdiff_t acc_step = 0, acc_row_step = 0;
  std::int64_t channels = 0;           // a multiple of depthwise_lanes: x, w, start and acc have as many
  Requantization requantization = {};  // as in a tile
  std::uint8_t* y = nullptr;
  std::ptrdiff_t y_step = 0, y_row_step = 0;
};

// y[r] = zeros, x[r, p, c] of some pixels and channels less the zero point, zeros: rows one below the other.
struct WidenedRows {
  const std::uint8_t* x = nullptr;
  std::ptrdiff_t x_step = 0, x_row_step = 0;  // from a pixel to the next one that is taken, and to the row below
  std::int64_t rows = 0, pixels = 0, channels = 0;
  std::int64_t before = 0, behind = 0;  // zeros, elements of y
  std::int16_t* y = nullptr;
  std::ptrdiff_t y_row_step = 0;
};

struct Products {
  std::int64_t lanes = 0;  // channels in a vector of accumulators
  // x and w are pairs of int16. Of `pixels` in each row, and `vectors` (1 or 2) times `lanes` channels.
  void (*pairs)(const Tile& tile, std::int64_t pixels, std::int64_t vectors) = nullptr;
  // x are four uint8 (int8 where quads_are_signed), w four int8: exact dot products. Null where the processor has no
  // instruction for them.
  void (*quads)(const Tile& tile, std::int64_t pixels, std::int64_t vectors) = nullptr;
  bool quads_are_signed = false;
  // The same through int16 sums of four products, two of each of two runs: for weights that can't leave int16
  // (packed_safely). An even number of runs of one unit. Null where it is not worth while.
  void (*safe_quads)(const Tile& tile, std::int64_t pixels, std::int64_t vectors) = nullptr;

  void (*matrices)(const Matrices& matrices) = nullptr;

  std::int64_t depthwise_lanes = 0;
  void (*depthwise)(const Depthwise& tile, std::int64_t pixels) = nullptr;
  // Two rows of pixels, of a 3x3 kernel with stride 1; or null. Does not ask for taps.
  void (*depthwise_rows)(const Depthwise& tile, std::int64_t pixels) = nullptr;

  void (*widen)(const WidenedRows& rows, std::int32_t zero_point, bool is_signed) = nullptr;
  // y[k] = x[k] ^ 128: from int8 to uint8, 128 greater; from uint8 to int8, 128 less
  void (*flip)(const std::uint8_t* x, std::int64_t count, std::uint8_t* y) = nullptr;
};

}  // namespace octet::fast
