// qlinear_where.h: the meaning of com.microsoft QLinearWhere.
//
//   Z = condition ? X : Y, each requantized to z_scale and z_zero_point, with numpy's broadcasting
//
// An operand that has Z's scale and zero point is copied. Any other goes through a table of 256 entries
// (lookup_table.h): QuantizeLinear(DequantizeLinear(x)) in float32, the zero point after rounding.
//
//   qlinear_where_c1  condition is bool; X, Y and Z are all int8 or all uint8, so are the zero points; the scales are
//                     float32.
//   qlinear_where_c2  each scale and zero point has one element.
//   qlinear_where_c3  condition, X and Y broadcast.
#pragma once

#include "octet/spec/quantized/lookup_table.h"
