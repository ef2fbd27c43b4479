#include "octet/spec/quantized/qlinear_mul.h"

#include "octet/spec/operators.h"

namespace octet {

QuantizedBinary qlinear_mul(const Quantization& a, const Quantization& b, const Quantization& c, IntegerRange range,
                            const Arithmetic& arithmetic) {
  const QuantizedOutput output = {c.zero_point, range, ZeroPoint::kBeforeRounding, true};
  const Requantizer requantize(arithmetic, requantization_multiplier(a.scale, b.scale, c.scale), output);
  return [=, a_zero = a.zero_point, b_zero = b.zero_point](std::int32_t x, std::int32_t y, std::int64_t element) {
    return requantize((x - a_zero) * (y - b_zero), element);
  };
}

namespace {

constexpr BinaryLabels kQLinearMulLabels = {{"qlinear_mul_c1", "qlinear_mul_c2"}, "qlinear_mul_c3"};

void infer_qlinear_mul(Inference& i) { infer_quantized_binary(i, kQLinearMulLabels); }

void compute_qlinear_mul(Call& call) {
  const auto [a, b, c] = quantized_operands(call);
  compute_quantized_binary(call, qlinear_mul(a, b, c, integer_range(call.output_dtype(0)), call.arithmetic()));
}

}  // namespace

const Operator ops::kQLinearMul = {
    .name = "QLinearMul",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "C = saturate(round((A - A_zero_point) * (B - B_zero_point) * ((A_scale * B_scale) / C_scale) + "
        "C_zero_point))",
    .constraints = {{"qlinear_mul_c1",
                     "A, B and C are all int8 or all uint8, so are the zero points; the scales are "
                     "float32"},
                    {"qlinear_mul_c2", "each scale and zero point has one element"},
                    {"qlinear_mul_c3", "A and B broadcast"}},
    .infer = infer_qlinear_mul,
    .compute = compute_qlinear_mul,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kYScale,
               Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kMultiplication,
    .on_elements = true,
    .float_form = &ops::kMul,
};

}  // namespace octet
