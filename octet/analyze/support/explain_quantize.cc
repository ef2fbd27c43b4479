// explain_quantize.cc: QuantizeLinear, DynamicQuantizeLinear and DequantizeLinear.
#include <fmt/core.h>

#include <cmath>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/parameter_map.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet {
namespace {

// Which scale and zero point the element has.
std::size_t parameter_of(const Applied& applied, Role scale) {
  std::size_t parameter = 0;
  ParameterMap(applied.attributes(), applied.input(Role::kX).shape(), applied.input(scale).shape())
      .for_each_run(applied.element(), applied.element() + 1,
                    [&](const ParameterMap::Run& run) { parameter = static_cast<std::size_t>(run.parameter); });
  return parameter;
}

std::int32_t zero_point_of(const Applied& applied, Role role, std::size_t parameter) {
  const std::vector<std::int32_t> zero_points = zero_points_at(applied.call(), applied.at(role));
  return zero_points.empty() ? 0 : zero_points[parameter];
}

float rounded_to(DType precision, float value) {
  if (precision == DType::kFloat16) return to_float(to_float16(value));
  if (precision == DType::kBFloat16) return to_float(to_bfloat16(value));
  return value;
}

template <typename Real>
std::int32_t explain_quotient(const Applied& applied, Findings& findings, Real x, Real scale, DType precision) {
  Real t;
  if constexpr (std::is_same_v<Real, float>)
    t = rounded_to(precision, rounded_to(precision, x) / rounded_to(precision, scale));
  else
    t = x / scale;
  const Exact exact = Exact(x) / Exact(scale);
  const std::int32_t zero_point = zero_point_of(applied, Role::kYZeroPoint, parameter_of(applied, Role::kYScale));
  findings.line("y_scale", "", scale, Exact(scale));
  findings.line("y_zero_point", "", std::int64_t{zero_point});
  findings.line("t", "x / y_scale", t, exact, std::is_same_v<Real, float> ? "a division in float32" : "in float64");
  return explain_rounding(findings, t, exact, {zero_point, integer_range(applied.dtype()), ZeroPoint::kAfterRounding},
                          applied.arithmetic().rounding);
}

}  // namespace

void explain_quantize(const Applied& applied, Findings& findings) {
  if (is_minifloat(applied.dtype())) return explain_whole(applied, findings);
  findings.section("quantization");
  findings.read(applied, "x", applied.at(Role::kX), applied.element());
  const auto parameter = static_cast<std::int64_t>(parameter_of(applied, Role::kYScale));
  const double x = applied.input(Role::kX).number_at(applied.element()),
               scale = applied.input(Role::kYScale).number_at(parameter);
  DType precision = dtype_attribute(applied.attributes(), "precision");
  if (precision == DType::kUndefined && applied.input(Role::kX).dtype() == DType::kInt32) precision = DType::kDouble;
  findings.operation.result =
      std::int64_t{precision == DType::kDouble ? explain_quotient(applied, findings, x, scale, precision)
                                               : explain_quotient(applied, findings, static_cast<float>(x),
                                                                  static_cast<float>(scale), precision)};
}

void explain_dynamic_quantize(const Applied& applied, Findings& findings) {
  const std::span<const float> x = applied.input(Role::kX).as<float>();
  std::vector<std::uint8_t> all(x.size());
  const Quantization y = dynamic_quantize_linear(x, all, applied.arithmetic().rounding);
  const auto [min, max] = range_with_zero(x);
  findings.section("range");
  findings.line("min", "", min, Exact(min), "the smallest of x and 0");
  findings.line("max", "", max, Exact(max), "the largest of x and 0");
  const Exact scale = max == min ? Exact(1) : (Exact(max) - Exact(min)) / Exact(255);
  findings.line("y_scale", max == min ? "1" : "(max - min) / 255", y.scale, scale);
  findings.operation.result = y.scale;
  const Operator& op = *applied.operation().op;
  if (applied.output_number() == output_number(op, Role::kYScale)) return;
  if (applied.output_number() == output_number(op, Role::kYZeroPoint)) {
    findings.section("zero point");
    const float t = 0.0F - min / y.scale;
    findings.line("t", "0 - min / y_scale", t, -Exact(min) / scale);
    findings.operation.result = std::int64_t{y.zero_point};
    if (std::isnan(t)) return findings.line("saturated", "", std::int64_t{y.zero_point}, "NaN becomes the greater end");
    findings.operation.result = std::int64_t{explain_rounding(
        findings, t, -Exact(min) / scale, {0, {0, 255}, ZeroPoint::kAfterRounding}, applied.arithmetic().rounding)};
    return;
  }
  findings.line("y_zero_point", "round(clamp(0 - min / y_scale, 0, 255))", std::int64_t{y.zero_point});
  findings.section("quantization");
  findings.read(applied, "x", applied.at(Role::kX), applied.element());
  const float value = x[static_cast<std::size_t>(applied.element())], t = value / y.scale;
  findings.line("t", "x / y_scale", t, Exact(value) / scale);
  findings.operation.result = std::int64_t{explain_rounding(findings, t, Exact(value) / scale,
                                                            {y.zero_point, {0, 255}, ZeroPoint::kAfterRounding},
                                                            applied.arithmetic().rounding)};
}

void explain_dequantize(const Applied& applied, Findings& findings) {
  if (is_minifloat(applied.input(Role::kX).dtype())) return explain_whole(applied, findings);
  const std::size_t parameter = parameter_of(applied, Role::kXScale);
  const auto x = static_cast<std::int32_t>(applied.input(Role::kX).int_at(applied.element()));
  const Quantization quantization = {
      static_cast<float>(applied.input(Role::kXScale).number_at(static_cast<std::int64_t>(parameter))),
      zero_point_of(applied, Role::kXZeroPoint, parameter)};
  findings.section("dequantization");
  findings.read(applied, "x", applied.at(Role::kX), applied.element());
  explain_parameters(findings, "x", quantization);
  const std::int64_t difference = std::int64_t{x} - quantization.zero_point;
  findings.line("d", "x - x_zero_point", difference);
  const float y = dequantize_linear(x, quantization);
  findings.line("y", "f32(d) * x_scale", y, Exact(difference) * Exact(quantization.scale));
  findings.operation.result = y;
}

}  // namespace octet
