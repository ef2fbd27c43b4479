// dynamic_quantize_linear.h: the meaning of DynamicQuantizeLinear.
//
//   min = minimum of x and 0, max = maximum of x and 0
//   y_scale = (max - min) / 255, or 1 where max == min
//   y_zero_point = round(saturate(0 - min / y_scale))
//   y = QuantizeLinear(x, y_scale, y_zero_point)
//
// in float32; y is uint8. An x of zeros, or an empty one, has scale 1: the onnx package's evaluator says 1/255, the
// function body in the standard 0. What NaN does to the minimum and maximum is not defined.
//
//   dynamic_quantize_linear_c1  x is float32.
#pragma once

#include <span>

#include "octet/spec/quantized/parameters.h"

namespace octet {

// y's scale and zero point, of the minimum and the maximum of x and 0.
Quantization dynamic_quantization(float min, float max, Rounding rounding = Rounding::kTiesEven);

// Writes y, which has x's length, and returns its scale and zero point.
Quantization dynamic_quantize_linear(std::span<const float> x, std::span<std::uint8_t> y,
                                     Rounding rounding = Rounding::kTiesEven);

}  // namespace octet
