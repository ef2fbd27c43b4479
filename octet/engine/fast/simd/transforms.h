// transforms.h: 3x3 convolutions with fewer products, in integers and exact.
//
// A tile of outputs along one axis is y = A [(G g) * (B d)], where * is element by element; in two dimensions
// Y = A [(G g G') * (B d B')] A'. Numbers in front of a matrix say that it stands here multiplied.
//
// Winograd F(4x4), stride 1: 36 products of a pair of channels for 16 outputs, instead of 144.
//
//   B   4  0 -5  0  1  0     24 G   6  0  0     A   1  1  1  1  1  0
//       0 -4 -4  1  1  0           -4 -4 -4         0  1 -1  2 -2  0
//       0  4 -4 -1  1  0           -4  4 -4         0  1  1  4  4  0
//       0 -2 -1  2  1  0            1  2  4         0  1 -1  8 -8  4
//       0  2 -1 -2  1  0            1 -2  4
//       0  4  0 -5  0  1            0  0  6         (the last row of 24 G is 6 G, and the 4 in A makes up for it)
//
//   B's rows have absolute sums of 10 at most: of |d| <= 255 the transformed input is at most 25,500. Those of 24 G have 12:
//   of |g| <= 128 the transformed weights are at most 18,432. Both fit int16. Sums are taken modulo 2^32, so that overflow on
//   the way does no harm; A gives 576 * acc modulo 2^32, times the inverse of 9 that is 64 * acc, and acc itself where
//   |acc| < 2^25.
//
// Winograd F(2x2), stride 1: 16 products for 4 outputs, instead of 36.
//
//   B   1  0 -1  0      2 G   2  0  0     A   1  1  1  0
//       0  1  1  0            1  1  1         0  1 -1 -1
//       0 -1  1  0            1 -1  1
//       0  1  0 -1            0  0  2
//
//   Transformed inputs are at most 1,020, weights of |g| <= 255 at most 2,295. A gives 4 * acc: acc itself where
//   |acc| < 2^29.
//
// Polyphase F(2x2), stride 2: 25 products for 4 outputs, instead of 36. Of the five pixels d that two outputs see, those
// with an even number meet g0 and g2, the others g1 alone:
//
//   y0 = a0 + a1     a0 = (d0 - d2) g0 + d1 g1     a1 = d2 (g0 + g2)     a2 = (d4 - d2) g2 + d3 g1
//   y1 = a1 + a2
//
//   Sums alone: it holds modulo 2^32 and needs no proof.
//
// Polyphase F(4x4), stride 2: 81 products for 16 outputs, instead of 144. Of the nine pixels that four outputs see, the even
// ones e meet g0 and g2, which is Winograd's F(4) of two taps, and the odd ones o meet g1; what o adds to the sums is such
// that A makes o of it:
//
//   B e  2 -1 -2  1  0     6 G   3  0     B o   1  0 -1  0   6 g1     A   1  1  1  1  0
//        0 -2 -1  1  0          -3 -3           0  1  1  0   3 g1         0  1 -1  2  0
//        0  2 -3  1  0          -1  1           0 -1  1  0   3 g1         0  1  1  4  0
//        0 -1  0  1  0           1  2           (none)                    0  1 -1  8  1
//        0  2 -1 -2  1           0  6           0 -1  0  1   6 g1
//
//   Rows of B have absolute sums of 6 at most, and so have those of 6 G and of the numbers in front of g1: transformed inputs
//   and weights are at most 36 * 255 = 9,180. A gives 36 * acc modulo 2^32, times the inverse of 9 that is 4 * acc: acc
//   itself where |acc| < 2^29.
//
// Where 9 * |acc| < 2^24, a float holds 9 * acc, whatever power of 2 is in front of it, and times float(1 / 9) it is acc again:
// 9 * float(1 / 9) is 1 + 2^-27, and rounding takes away what is less than 2^-25 of a number. That is one instruction where the
// inverse takes two on many processors.
//
// What is added to the sum in row 1 and column 1 is added to every output, because A has ones in that column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "octet/engine/fast/simd/elements.h"

namespace octet::fast {

// The rows of an image of bytes, channels last, that a row of tiles sees.
struct ImageRows {
  const std::uint8_t* const* rows = nullptr;  // Transform::inputs of them, from column 0 on; of padding: zero points
  std::int64_t columns = 0, channels = 0;     // of the image
  std::int64_t first = 0;  // the column that the first tile begins with: may be in front of the image
  std::int32_t zero_point = 0;
  bool is_signed = false;
};

constexpr std::int64_t kMostInputs = 9;  // of a tile along an axis

struct Transform {
  std::string_view name;
  std::int64_t outputs = 0, stride = 0;  // of a tile, along each axis
  std::int64_t inputs = 0, lines = 0;    // along one axis, before and once it is transformed
  std::int64_t positions = 0;            // sums of a tile
  std::int64_t elements = 0;  // of a tile's input, once it is transformed: those of position 0, then of the next
  const std::uint8_t* in_position = nullptr;  // how many of them each position has
  std::int64_t scale = 0;                     // positions stand for scale * acc
  std::int64_t limit = 0;                     // |acc| must be less
  std::int64_t weight_limit = 0;              // |weight| must be this at most
  int shift = 0;                              // output_bytes wants multipliers of acc * 2^shift
  std::int64_t small_limit = 0;               // |acc| must be less for output_small_bytes
  std::int64_t start_position = 0;            // scale * b added to that sum adds b to every output

  // y[tile, element, c] of `tiles` side by side, of x less its zero point. Writes `channels` rounded up to a multiple of
  // `padded_to`, where those that are added are anything. Needs line_bytes(tiles, those) meanwhile.
  void (*input)(const ImageRows& x, std::int64_t tiles, std::int16_t* meanwhile, std::int16_t* y) = nullptr;
  std::int64_t line_bytes(std::int64_t tiles, std::int64_t channels) const {
    return lines * ((tiles - 1) * outputs * stride + inputs) * channels * 2;
  }
  // y[row * row_step + column * pixel_step + c] = acc of the sums m[tile, position, c]. `channels` is a multiple of
  // Products::lanes.
  void (*output)(const std::int32_t* m, std::int64_t channels, std::int64_t tiles, std::int32_t* y,
                 std::ptrdiff_t row_step, std::ptrdiff_t pixel_step) = nullptr;
  // The same, requantized as Elements::requantize does. No product by a multiplier reaches 2^31.
  using OutputBytes = void (*)(const std::int32_t* m, std::int64_t channels, std::int64_t tiles,
                               const Requantization& requantization, std::uint8_t* y, std::ptrdiff_t row_step,
                               std::ptrdiff_t pixel_step);
  OutputBytes output_bytes = nullptr, output_small_bytes = nullptr;
  // g, row by row, becomes its element in each of `elements`.
  void (*weights)(const std::int16_t* g, std::int16_t* transformed) = nullptr;
};

struct Transforms {
  std::int64_t padded_to = 0;  // channels of transformed inputs
  Transform winograd4, winograd2, polyphase4, polyphase2;
};

}  // namespace octet::fast
