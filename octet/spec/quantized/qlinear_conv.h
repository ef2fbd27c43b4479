// qlinear_conv.h: the meaning of QLinearConv.
//
//   acc[n, o, i] = B[o] + Sum_u Sum_c (x[n, c, at(i, u)] - x_zero_point) * (w[o, c, u] - w_zero_point[o])
//   M[o] = (x_scale * w_scale[o]) / y_scale                 left to right, each operation rounded to float32
//   y = saturate(round(f32(acc) * M[o]) + y_zero_point)     the zero point after rounding (requantize.h)
//
// Equations (8), (13) and (14) of docs/quantization/derivation.md.
//
// The accumulator is an int32 that wraps; the order of the sum, the padding (which reads as x_zero_point) and the
// overflow bound are integer_convolution.h's. f32(acc) loses bits only above 2^24. B is in units of x_scale *
// w_scale[o]; a scale of its own is never looked at. ONNX Runtime takes the pairs u8 u8, u8 s8 and s8 s8 with y of x's
// type; the other combinations of the standard follow the same formula.
//
//   qlinear_conv_c1  x, w and y are int8 or uint8, each zero point has its tensor's type; the scales are float32; B is
//                    int32.
//   qlinear_conv_c2  x is [N, C, D1, ...], w is [M, C/group, k1, ...], of one rank, 3 or more; group divides M;
//                    C/group is at least 1.
//   qlinear_conv_c3  x's and y's scale and zero point have one element, w's one or M.
//   qlinear_conv_c4  kernel_shape, strides, dilations, pads and auto_pad fit the shapes, and the window fits the image.
//   qlinear_conv_c5  B is [M].
#pragma once

#include "octet/spec/quantized/integer_convolution.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

struct QLinearConvParameters {
  IntegerConvolution convolution;  // with the zero points of x and w, and the bias
  float x_scale = 1;
  std::vector<float> w_scales = {1};  // one, or one for each output channel
  Quantization y;
};

// y is int8 or uint8, of the shape that the rule gives.
void qlinear_conv(const QLinearConvParameters& parameters, const Tensor& x, const Tensor& w, Tensor& y,
                  const Arithmetic& arithmetic, const Parallel& parallel);

}  // namespace octet
