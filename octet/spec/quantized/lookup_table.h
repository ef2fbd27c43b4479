// lookup_table.h: 8-bit operators of one input as tables of 256 entries, as ONNX Runtime computes them.
//
//   v = x_scale * f32(x - x_zero_point)
//   y = saturate(round(f(v) / y_scale) + y_zero_point)      the zero point after rounding, as QuantizeLinear
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "octet/spec/quantized/parameters.h"

namespace octet {

// The byte of y for each byte of x.
using LookupTable = std::array<std::uint8_t, 256>;

// x and y are of type `dtype`, int8 or uint8.
LookupTable make_lookup_table(DType dtype, const Quantization& x, const Quantization& y,
                              const std::function<float(float)>& f, const Arithmetic& arithmetic);

// What requantizes x to y's scale and zero point; bytes stay as they are where the two are equal.
LookupTable rescaling_table(DType dtype, const Quantization& x, const Quantization& y, const Arithmetic& arithmetic);

// y = table[x], byte by byte.
void look_up(const LookupTable& table, std::span<const std::byte> x, std::byte* y);

// Operators with inputs X, X_scale, X_zero_point, Y_scale and Y_zero_point, and Y of X's type and shape.
void infer_lookup(Inference& i, const ParameterLabels& labels);
void compute_lookup(Call& call, const LookupTable& table);

}  // namespace octet
