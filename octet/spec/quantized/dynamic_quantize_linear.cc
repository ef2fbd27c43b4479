#include "octet/spec/quantized/dynamic_quantize_linear.h"

#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet {

std::pair<float, float> range_with_zero(std::span<const float> x) {
  float min = 0, max = 0;
  for (float value : x) {
    min = std::min(min, value);  // in this order NaN is left out
    max = std::max(max, value);
  }
  return {min, max};
}

Quantization dynamic_quantization(float min, float max, Rounding rounding) {
  const float scale = max == min ? 1.0F : (max - min) / 255.0F;
  const float offset = std::min(255.0F, 0.0F - min / scale);  // in this order NaN becomes 255
  return {scale, quantize_real(offset, {0, {0, 255}, ZeroPoint::kAfterRounding}, rounding)};
}

Quantization dynamic_quantize_linear(std::span<const float> x, std::span<std::uint8_t> y, Rounding rounding) {
  const auto [min, max] = range_with_zero(x);
  const Quantization quantization = dynamic_quantization(min, max, rounding);
  for (std::size_t k = 0; k < x.size(); ++k)
    y[k] = static_cast<std::uint8_t>(quantize_linear(x[k], quantization, {0, 255}, rounding));
  return quantization;
}

namespace {

void infer_dynamic_quantize_linear(Inference& i) {
  i.input(0);
  require_dtype(i, 0, DType::kFloat, "dynamic_quantize_linear_c1");
  i.set_output(0, DType::kUint8, i.input(0).shape);
  i.set_output(1, DType::kFloat, SymbolicShape{});
  i.set_output(2, DType::kUint8, SymbolicShape{});
}

void compute_dynamic_quantize_linear(Call& call) {
  const Quantization y = dynamic_quantize_linear(call.input(0).as<float>(), call.output(0).mutable_as<std::uint8_t>(),
                                                 call.arithmetic().rounding);
  if (call.wants(1)) call.output(1).mutable_as<float>()[0] = y.scale;
  if (call.wants(2)) call.output(2).mutable_as<std::uint8_t>()[0] = static_cast<std::uint8_t>(y.zero_point);
}

}  // namespace

const Operator ops::kDynamicQuantizeLinear = {
    .name = "DynamicQuantizeLinear",
    .versions = {11},
    .formula = "y_scale = (max(x, 0) - min(x, 0)) / 255, y = QuantizeLinear(x, y_scale, y_zero_point)",
    .constraints = {{"dynamic_quantize_linear_c1", "x is float32"}},
    .infer = infer_dynamic_quantize_linear,
    .compute = compute_dynamic_quantize_linear,
    .inputs = {Role::kX},
    .outputs = {Role::kY, Role::kYScale, Role::kYZeroPoint},
    .kind = StepKind::kQuantize,
};

}  // namespace octet
