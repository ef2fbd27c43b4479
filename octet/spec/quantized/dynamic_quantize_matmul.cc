#include "octet/spec/quantized/dynamic_quantize_matmul.h"

#include "octet/spec/operators.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"

namespace octet {

void dynamic_quantize_matmul(const Tensor& a, const Tensor& b, const QuantizedLines& b_lines,
                             std::span<const float> bias, Tensor& y, const Arithmetic& arithmetic,
                             const Parallel& parallel) {
  Tensor quantized = Tensor::uninitialized(DType::kUint8, a.shape());
  const Quantization quantization =
      dynamic_quantize_linear(a.as<float>(), quantized.mutable_as<std::uint8_t>(), arithmetic.rounding);
  matmul_integer_to_float(quantized, quantization, b, b_lines, bias, y, arithmetic, parallel);
}

namespace {

struct DynamicQuantizeMatMulInput {
  enum Index : std::size_t { kA, kB, kBScale, kBZeroPoint, kBias };
};

void infer_dynamic_quantize_matmul(Inference& i) {
  using enum DynamicQuantizeMatMulInput::Index;
  require_8bit(i, kB, "dynamic_quantize_matmul_c1");
  require_dtype(i, kBZeroPoint, i.dtype(kB), "dynamic_quantize_matmul_c1");
  for (const std::size_t real : {kA, kBScale}) i.input(real);
  for (const std::size_t real : {kA, kBScale, kBias})
    require_dtype(i, real, DType::kFloat, "dynamic_quantize_matmul_c1");
  const auto y = infer_matmul(i.input(kA).shape, i.input(kB).shape, "dynamic_quantize_matmul_c2");
  require_lines(i, kBScale, kB, Line::kColumn, "dynamic_quantize_matmul_c3");
  require_lines(i, kBZeroPoint, kB, Line::kColumn, "dynamic_quantize_matmul_c3");
  require_bias(i, kBias, i.input(kB).shape, "dynamic_quantize_matmul_c4");
  i.set_output(0, DType::kFloat, y);
}

void compute_dynamic_quantize_matmul(Call& call) {
  using enum DynamicQuantizeMatMulInput::Index;
  const QuantizedLines b = {line_scales(call, kBScale, kB, Line::kColumn),
                            line_zero_points(call, kBZeroPoint, kB, Line::kColumn)};
  dynamic_quantize_matmul(call.input(kA), call.input(kB), b, scales_at(call, kBias), call.output(0), call.arithmetic(),
                          call.parallel());
}

}  // namespace

const Operator ops::kDynamicQuantizeMatMul = {
    .name = "DynamicQuantizeMatMul",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = MatMulIntegerToFloat(DynamicQuantizeLinear(A), B, b_scale, b_zero_point, bias)",
    .constraints = {{"dynamic_quantize_matmul_c1",
                     "A, b_scale and bias are float32; B is int8 or uint8, b_zero_point "
                     "has its type"},
                    {"dynamic_quantize_matmul_c2",
                     "A is [batch..., M, K], B is [batch..., K, N]; the batches "
                     "broadcast"},
                    {"dynamic_quantize_matmul_c3",
                     "b_scale and b_zero_point have one element or one for each column "
                     "of B"},
                    {"dynamic_quantize_matmul_c4", "bias has N elements, along its last dimension"}},
    .infer = infer_dynamic_quantize_matmul,
    .compute = compute_dynamic_quantize_matmul,
    .inputs = {Role::kX, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kFloatBias},
    .outputs = {Role::kY},
    .kind = StepKind::kMatMul,
    .macs = MacRule::kMatrix,
    .float_form = &ops::kMatMul,
};

}  // namespace octet
