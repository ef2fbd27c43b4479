// winograd.h: the transforms of F(4x4, 3x3), in integers.
//
// A tile of 4 x 4 outputs of a 3x3 convolution takes 36 products for each pair of channels instead of 144:
//
//   Y = A [ (G g G') * (B d B') ] A'          * is element by element; d is 6 x 6, g 3 x 3
//
// G is multiplied by 24, but for its last row, which is multiplied by 6; A's last column makes up for that with a 4:
//
//   B   4  0 -5  0  1  0     24 G   6  0  0     A   1  1  1  1  1  0
//       0 -4 -4  1  1  0           -4 -4 -4         0  1 -1  2 -2  0
//       0  4 -4 -1  1  0           -4  4 -4         0  1  1  4  4  0
//       0 -2 -1  2  1  0            1  2  4         0  1 -1  8 -8  4
//       0  2 -1 -2  1  0            1 -2  4
//       0  4  0 -5  0  1            0  0  6
//
// B's rows have absolute sums of 10 at most: of |d| <= 255 the transformed input is at most 25,500. Those of 24 G have 12:
// of |g| <= 128 the transformed weights are at most 18,432. Both fit int16. Products are summed modulo 2^32, so that overflow
// on the way does no harm; the output transform gives 576 * acc modulo 2^32, times the inverse of 9 that is 64 * acc, and
// acc itself where |acc| < 2^25.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octet::fast {

inline constexpr std::int64_t kWinogradOutputs = 4, kWinogradInputs = 6, kWinogradPositions = 36;
inline constexpr std::int64_t kWinogradLimit = std::int64_t{1} << 25;  // of |acc|

struct Winograd {
  std::int64_t lanes = 0;  // channels are padded to a multiple of it in transformed inputs
  // y[position * position_step + c] = (B d B')[position], d[row, column] = x[row * row_step + column * pixel_step + c]. Reads and
  // writes `channels` rounded up to a multiple of `lanes`.
  void (*input)(const std::int16_t* x, std::ptrdiff_t row_step, std::ptrdiff_t pixel_step, std::int64_t channels,
                std::int16_t* y, std::ptrdiff_t position_step) = nullptr;
  // y[row * row_step + column * pixel_step + c] = start[c] + acc, of products m[position * position_step + c]. `channels` is a
  // multiple of Products::lanes.
  void (*output)(const std::int32_t* m, std::ptrdiff_t position_step, const std::int32_t* start, std::int64_t channels,
                 std::int32_t* y, std::ptrdiff_t row_step, std::ptrdiff_t pixel_step) = nullptr;
};

// g, row by row, becomes (24 G) g (24 G)' with the last row as said above.
void transform_weights(const std::int16_t* g, std::int16_t* transformed);

Winograd winograd_for_current_target();

}  // namespace octet::fast
