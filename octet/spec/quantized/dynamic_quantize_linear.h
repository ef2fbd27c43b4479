// dynamic_quantize_linear.h: the meaning of DynamicQuantizeLinear.
//
//   min = minimum of x and 0, max = maximum of x and 0
//   y_scale = (max - min) / 255, or 1 where max == min
//   y_zero_point = round(clamp(0 - min / y_scale, 0, 255)), where NaN is 255
//   y = QuantizeLinear(x, y_scale, y_zero_point)
//
// in float32; y is uint8. An x of zeros, or an empty one, has scale 1: the onnx package's evaluator says 1/255, the
// function body in the standard 0. An infinity makes the scale infinite, a range below 2^-142 makes it 0; the division
// is then NaN where min is -inf, or where both are 0.
//
// NaN is left out of min and max, and becomes 0 as in QuantizeLinear. ONNX Runtime means the same, but its vectors
// take a NaN over what they held: from 8 elements on, scale and zero point there depend on where the NaN lies.
//
//   dynamic_quantize_linear_c1  x is float32.
#pragma once

#include <span>
#include <utility>

#include "octet/spec/quantized/parameters.h"

namespace octet {

// The minimum and the maximum of x and 0, without what is NaN.
std::pair<float, float> range_with_zero(std::span<const float> x);

// y's scale and zero point, of that range.
Quantization dynamic_quantization(float min, float max, Rounding rounding = Rounding::kTiesEven);

// Writes y, which has x's length, and returns its scale and zero point.
Quantization dynamic_quantize_linear(std::span<const float> x, std::span<std::uint8_t> y,
                                     Rounding rounding = Rounding::kTiesEven);

}  // namespace octet
