#include "octet/spec/quantized/matmul_integer_to_float.h"

#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {

void matmul_integer_to_float(const Tensor& a, const Quantization& a_quantization, const Tensor& b,
                             const QuantizedLines& b_lines, std::span<const float> bias, Tensor& y,
                             const Arithmetic& arithmetic, const Parallel& parallel) {
  const MatMulLayout layout(a.shape(), b.shape());
  float* to = y.mutable_as<float>().data();
  multiply_integers(layout, lines_of(a, Line::kRow, {{a_quantization.zero_point}, {}}),
                    lines_of(b, Line::kColumn, b_lines.zero_points), {}, arithmetic, parallel,
                    [&](std::int64_t batch, std::int64_t m, std::span<const std::int32_t> accumulators) {
                      const std::int64_t right = layout.operands(batch).b;
                      float* row = to + (batch * layout.m + m) * layout.n;
                      for (std::int64_t n = 0; n < layout.n; ++n) {
                        const float scale = a_quantization.scale * b_lines.scales.at(right, n);
                        row[n] = static_cast<float>(accumulators[static_cast<std::size_t>(n)]) * scale;
                        if (!bias.empty()) row[n] += bias[static_cast<std::size_t>(n)];
                      }
                    });
}

void require_bias(const Inference& i, std::size_t bias, const std::optional<SymbolicShape>& b, std::string_view label) {
  if (!i.has_shape(bias)) return;
  const SymbolicShape& found = i.shape(bias);
  const Dim n = !b ? Dim() : b->size() == 1 ? Dim(1) : b->back();
  bool fits = !found.empty() && !surely_different(found.back(), n);
  for (std::size_t d = 0; fits && d + 1 < found.size(); ++d) fits = !surely_different(found[d], 1);
  if (!fits) fail_constraint(label, "bias is {}, wanted [{}]", to_string(found), to_string(n));
}

namespace {

struct MatMulIntegerToFloatInput {
  enum Index : std::size_t { kA, kB, kAScale, kBScale, kAZeroPoint, kBZeroPoint, kBias };
};

void infer_matmul_integer_to_float(Inference& i) {
  using enum MatMulIntegerToFloatInput::Index;
  require_8bit(i, kA, "matmul_integer_to_float_c1");
  require_8bit(i, kB, "matmul_integer_to_float_c1");
  require_dtype(i, kAZeroPoint, i.dtype(kA), "matmul_integer_to_float_c1");
  require_dtype(i, kBZeroPoint, i.dtype(kB), "matmul_integer_to_float_c1");
  const DType real = i.dtype(kAScale);
  if (real != DType::kFloat && real != DType::kFloat16)
    fail_constraint("matmul_integer_to_float_c1", "a_scale is {}, wanted float32 or float16", name(real));
  i.input(kBScale);
  require_dtype(i, kBScale, real, "matmul_integer_to_float_c1");
  require_dtype(i, kBias, real, "matmul_integer_to_float_c1");
  const auto y = infer_matmul(i.input(kA).shape, i.input(kB).shape, "matmul_integer_to_float_c2");
  require_one_element(i, kAScale, "matmul_integer_to_float_c3");
  require_one_element(i, kAZeroPoint, "matmul_integer_to_float_c3");
  require_lines(i, kBScale, kB, Line::kColumn, "matmul_integer_to_float_c3");
  require_lines(i, kBZeroPoint, kB, Line::kColumn, "matmul_integer_to_float_c3");
  require_bias(i, kBias, i.input(kB).shape, "matmul_integer_to_float_c4");
  i.set_output(0, real, y);
}

void compute_matmul_integer_to_float(Call& call) {
  using enum MatMulIntegerToFloatInput::Index;
  const QuantizedLines b = {line_scales(call, kBScale, kB, Line::kColumn),
                            line_zero_points(call, kBZeroPoint, kB, Line::kColumn)};
  matmul_integer_to_float(call.input(kA), quantization_at(call, kAScale, kAZeroPoint), call.input(kB), b,
                          scales_at(call, kBias), call.output(0), call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kMatMulIntegerToFloat = {
    .name = "MatMulIntegerToFloat",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = float((A - a_zero_point) @ (B - b_zero_point)) * (a_scale * b_scale) + bias",
    .constraints = {{"matmul_integer_to_float_c1",
                     "A and B are int8 or uint8, each zero point has its operand's "
                     "type; scales and bias are float32 or float16"},
                    {"matmul_integer_to_float_c2",
                     "A is [batch..., M, K], B is [batch..., K, N]; the batches "
                     "broadcast"},
                    {"matmul_integer_to_float_c3",
                     "a_scale and a_zero_point have one element; b_scale and "
                     "b_zero_point one or one for each column of B"},
                    {"matmul_integer_to_float_c4", "bias has N elements, along its last dimension"}},
    .infer = infer_matmul_integer_to_float,
    .compute = compute_matmul_integer_to_float,
    .inputs = {Role::kX, Role::kW, Role::kXScale, Role::kWScale, Role::kXZeroPoint, Role::kWZeroPoint,
               Role::kFloatBias},
    .outputs = {Role::kY},
    .kind = StepKind::kMatMul,
    .macs = MacRule::kMatrix,
    .float_form = &ops::kMatMul,
};

}  // namespace octet
