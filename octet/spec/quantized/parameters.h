// parameters.h: scales and zero points: how shape rules check them and how kernels read them.
//
// Where a whole tensor has one scale or zero point, it comes as a scalar or as a vector of one element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "octet/spec/operator.h"
#include "octet/spec/requantize.h"

namespace octet {

// Per-tensor scale and zero point.
struct Quantization {
  float scale = 1;
  std::int32_t zero_point = 0;

  bool operator==(const Quantization&) const = default;
};

// The labels of an operator's constraints on the types and on the shapes of its inputs.
struct ParameterLabels {
  std::string_view types, shapes;
};

// Each throws kConstraint with `label`; an absent optional input passes.
void require_8bit(const Inference& i, std::size_t input, std::string_view label);
void require_dtype(const Inference& i, std::size_t input, DType wanted, std::string_view label);
void require_one_element(const Inference& i, std::size_t input, std::string_view label);
// One element, or a vector of `length`.
void require_one_or(const Inference& i, std::size_t input, const Dim& length, std::string_view label);

// `scale` is one float32; `zero_point` is one element of type `dtype`, or absent.
void require_quantization(const Inference& i, DType dtype, std::size_t scale, std::size_t zero_point,
                          const ParameterLabels& labels);

// An attribute that names an element type; kUndefined when it is absent or 0. Throws kModel for a number that is none.
DType dtype_attribute(const Attributes& attributes, std::string_view name);

// What require_quantization has passed; an absent zero point is 0.
Quantization quantization_at(const Call& call, std::size_t scale, std::size_t zero_point);

// All elements; of an absent input none.
std::vector<float> scales_at(const Call& call, std::size_t input);
std::vector<std::int32_t> zero_points_at(const Call& call, std::size_t input);

// The element for `index` of a parameter that has one element for all or one for each.
template <typename T>
const T& one_or(const std::vector<T>& parameter, std::int64_t index) {
  return parameter.size() == 1 ? parameter[0] : parameter[static_cast<std::size_t>(index)];
}

// The multiplier of QLinearConv, QLinearMatMul and QLinearMul, left to right, each operation rounded to float32: equation (13)
// of docs/quantization/derivation.md.
inline float requantization_multiplier(float x_scale, float w_scale, float y_scale) {
  return x_scale * w_scale / y_scale;
}

// What x_scale is for an operator that has an alpha: it comes first.
inline float scale_with_alpha(float alpha, float x_scale) { return alpha * x_scale; }

// The output side of a quantized operator that writes `dtype`; `place` is ONNX Runtime's.
QuantizedOutput quantized_output(DType dtype, std::int32_t zero_point, ZeroPoint place);

}  // namespace octet
