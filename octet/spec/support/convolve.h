// convolve.h: the sums under Conv and ConvTranspose.
//
//   y[n, g, o, i] = Sum_c Sum_u w[g, o, c, u] * x[n, g, c, at(i, u)] + bias[g, o]
//
// at(i, u) is the input element that tap u of output position i reads (canvas.h); padding reads as 0. The sum runs over
// c, then u, in order, starting at 0; a product and its addition round once, together; the bias comes last.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/spec/support/canvas.h"

namespace octet {

// Channels are per group.
struct ConvolutionSize {
  std::int64_t batch, groups, in_channels, out_channels;
};

// `bias` may be null. T is float or double.
template <typename T>
void convolve(const ConvolutionSize& size, const std::vector<ConvolutionAxis>& axes, const T* x, const T* w,
              const T* bias, T* y, const Parallel& parallel);

}  // namespace octet
