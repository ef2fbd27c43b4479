// conv_integer.h: the meaning of ConvInteger.
//
//   y[n, o, i] = Sum_u Sum_c (x[n, c, at(i, u)] - x_zero_point) * (w[o, c, u] - w_zero_point[o])
//
// int32 that wraps, or the arithmetic's accumulator; the order of the sum, the padding (which adds nothing) and the
// overflow bound are integer_convolution.h's. ONNX Runtime takes one w_zero_point only; the standard allows one for
// each output channel.
//
//   conv_integer_c1  x is int8 or uint8, w is int8 or uint8, each zero point has its tensor's type.
//   conv_integer_c2  x is [N, C, D1, ...], w is [M, C/group, k1, ...], of one rank, 3 or more; group divides M;
//                    C/group is at least 1.
//   conv_integer_c3  x_zero_point has one element, w_zero_point one or M.
//   conv_integer_c4  kernel_shape, strides, dilations, pads and auto_pad fit the shapes, and the window fits the image.
#pragma once

#include "octet/spec/quantized/integer_convolution.h"

namespace octet {

// y is int32, of the shape that the rule gives.
void conv_integer(const IntegerConvolution& convolution, const Tensor& x, const Tensor& w, Tensor& y,
                  const Arithmetic& arithmetic, const Parallel& parallel);

}  // namespace octet
