// weights.h: constants become integers.
//
//   weights   q = saturate(round_ties_even(w / scale) + zero_point)
//             The division is in float32; the integers saturate to the whole type.
//   bias      q = saturate32(round_ties_even(b / bias_scale)), bias_scale = f32(f32(x_scale * w_scale) * beta)
//             The division is in float64.
#pragma once

#include <string>

#include "octet/base/tensor.h"
#include "octet/quantize/parameters.h"

namespace octet {

// The smallest and largest element; along `axis`, one range per channel. Throws kModel, naming `name`, for NaN and
// infinities.
std::vector<Range> ranges_of(const Tensor& weights, std::optional<std::int64_t> axis, const std::string& name);

Parameters choose_weight_parameters(const Tensor& weights, std::optional<std::int64_t> axis, const Encoding& encoding,
                                    const std::string& name);

Tensor quantize_constant(const Tensor& values, const Parameters& parameters);

// An int32 bias and its scales, one or one per channel.
struct QuantizedBias {
  Tensor values;
  std::vector<float> scales;
};

// Raises the scales of `weights` (one, or one per element of `bias`) where the bias would leave int32: until
// x_scale * w_scale is 1.0001 * 2 * max|bias| / (2^32 - 2). Channels whose weights are all but zero, as folding dead
// BatchNormalization channels leaves them, need it. In float64, but per channel the product before the division in
// float32: the same scales as those of ONNX Runtime's quantizer. Returns the number of scales raised.
int fit_scales_to_bias(Parameters& weights, const Tensor& bias, float x_scale, ScaleForm form = ScaleForm::kReal);

QuantizedBias quantize_bias(const Tensor& bias, float x_scale, const Parameters& weights, float beta);

}  // namespace octet
