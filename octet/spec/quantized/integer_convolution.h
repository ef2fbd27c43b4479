// integer_convolution.h: the sums under QLinearConv and ConvInteger.
//
//   acc[n, o, i] = bias[o] + Sum_u Sum_c (x[n, c, at(i, u)] - zx) * (w[o, c, u] - zw[o])
//
// which is equation (8) of docs/quantization/derivation.md,
// over the kernel's taps u in row-major order, and for each over the C / group input channels c of o's group, starting
// from the bias, in the arithmetic's accumulator (accumulator.h). at(i, u) is the pixel that tap u of output position i
// reads (support/taps.h); padding reads as zx, so it adds nothing. Exact in 32 bits while C / group * taps <= 33025 and
// there is no bias: each product lies within [-65025, 65025] and 33025 * 65025 < 2^31.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "octet/spec/arithmetic.h"
#include "octet/spec/window.h"

namespace octet {

struct IntegerConvolution {
  std::int64_t group = 1;
  Window window;  // its output is known
  std::int32_t x_zero_point = 0;
  std::vector<std::int32_t> w_zero_points = {0};  // one, or one for each output channel
  std::span<const std::int32_t> bias = {};        // none, or one for each output channel
};

// The accumulators of `count` output positions of one image, from `first` on in row-major order: row o of
// `accumulators`, `count` long, is output channel o's.
struct ConvolutionTile {
  std::int64_t image, first, count;
  std::span<const std::int32_t> accumulators;
};

// Calls store(tile) until all output positions are covered, from several threads and in any order. x is
// [N, C, spatial...], w is [M, C / group, kernel...]; both are int8 or uint8.
void convolve_integers(const IntegerConvolution& convolution, const Tensor& x, const Tensor& w,
                       const Arithmetic& arithmetic, const Parallel& parallel,
                       const std::function<void(const ConvolutionTile& tile)>& store);

}  // namespace octet
