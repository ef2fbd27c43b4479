// qlinear_softmax.h: the meaning of com.microsoft QLinearSoftmax.
//
//   h = max(0, ln(FLT_MAX / D) - 5) / X_scale          D is the length of a row; the logarithm float32, then float64
//   T[i] = f32(exp((i - 255 + h) * X_scale))           0 <= i <= 255; float64, then rounded to float32
//   e[d] = T[255 - (max of the row - x[d])],  sum = e[0] + e[1] + ...             float32, in the row's order
//   Y = saturate(round(e * L / sum) + y_zero_point)    L = floor(1 / y_scale); float32, the zero point after rounding
//
// X's zero point has no effect. L is 256 for a y_scale of 1/256, but 254 for the float32 nearest to 1/255. Where
// L > e^5 * D (a row of one element at 1/256), e * L overflows to infinity, which ONNX Runtime converts before it
// saturates: to 0 in uint8, to INT32_MIN in int8; the zero point is then added with wrapping.
//
// A row runs along `axis` when the attribute opset is 13 or more, else over all dimensions from `axis` on.
//
//   qlinear_softmax_c1  X and Y are both int8 or both uint8, so are the zero points; the scales are float32.
//   qlinear_softmax_c2  each scale and zero point has one element.
//   qlinear_softmax_c3  opset is given; axis (-1 unless said) is within the rank.
#pragma once

#include <array>
#include <span>

#include "octet/spec/quantized/parameters.h"

namespace octet {

class QLinearSoftmax {
 public:
  // For rows of `length` elements. y is the output's quantization.
  QLinearSoftmax(float x_scale, const Quantization& y, DType dtype, std::int64_t length, const Arithmetic& arithmetic);

  // One row, 8-bit numbers as integers; y may be x.
  void operator()(std::span<const std::int32_t> x, std::span<std::int32_t> y) const;

  std::span<const float> exponentials() const { return exponentials_; }  // T
  float steps() const { return steps_; }                                 // L

 private:
  std::array<float, 256> exponentials_;
  float steps_;  // L
  QuantizedOutput output_;
  Rounding rounding_;
};

}  // namespace octet
