// qlinear_concat.h: the meaning of com.microsoft QLinearConcat.
//
//   Y = concatenation along `axis` of each input requantized to Y_scale and Y_zero_point
//
// An input that has Y's scale and zero point is copied. Any other goes through a table of 256 entries (lookup_table.h):
// QuantizeLinear(DequantizeLinear(x)) in float32, the zero point after rounding. The ratio x_scale / Y_scale would be
// another answer.
//
//   qlinear_concat_c1  the inputs are Y_scale, Y_zero_point, then x, x_scale and x_zero_point for each tensor; Y and
//                      every x are all int8 or all uint8, so are the zero points; the scales are float32.
//   qlinear_concat_c2  each scale and zero point has one element.
//   qlinear_concat_c3  axis is given and within the rank; the tensors have equal dimensions except on axis.
#pragma once

#include "octet/spec/quantized/lookup_table.h"
