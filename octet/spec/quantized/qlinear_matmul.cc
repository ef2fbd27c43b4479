#include "octet/spec/quantized/qlinear_matmul.h"

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/minifloat.h"

namespace octet {

void qlinear_matmul(const Tensor& a, const QuantizedLines& a_lines, const Tensor& b, const QuantizedLines& b_lines,
                    const Quantization& y_quantization, Tensor& y, const Arithmetic& arithmetic,
                    const Parallel& parallel) {
  const MatMulLayout layout(a.shape(), b.shape());
  const QuantizedOutput output = quantized_output(y.dtype(), y_quantization.zero_point, ZeroPoint::kAfterRounding);
  const std::int64_t per_sample = y.rank() < 2
                                      ? std::max<std::int64_t>(1, y.size())
                                      : std::max<std::int64_t>(1, y.size() / std::max<std::int64_t>(1, y.shape()[0]));
  visit_8bit(y.dtype(), [&]<typename T>() {
    T* to = y.mutable_as<T>().data();
    multiply_integers(
        layout, lines_of(a, Line::kRow, a_lines.zero_points), lines_of(b, Line::kColumn, b_lines.zero_points), {},
        arithmetic, parallel, [&](std::int64_t batch, std::int64_t m, std::span<const std::int32_t> accumulators) {
          const auto [left, right] = layout.operands(batch);
          const float a_scale = a_lines.scales.at(left, m);
          const std::int64_t first = (batch * layout.m + m) * layout.n;
          T* row = to + first;
          for (std::int64_t n = 0; n < layout.n; ++n) {
            const float multiplier =
                requantization_multiplier(a_scale, b_lines.scales.at(right, n), y_quantization.scale);
            const Requantizer requantize(arithmetic, multiplier, output);
            row[n] = static_cast<T>(requantize(accumulators[static_cast<std::size_t>(n)], (first + n) % per_sample));
          }
        });
  });
}

namespace {

void require_quantized(const Inference& i, std::size_t input, std::string_view label) {
  const DType dtype = i.dtype(input);
  if (!is_minifloat(dtype)) require_8bit(i, input, label);
}

struct QLinearMatMulInput {
  enum Index : std::size_t { kA, kAScale, kAZeroPoint, kB, kBScale, kBZeroPoint, kYScale, kYZeroPoint };
};

void infer_qlinear_matmul(Inference& i) {
  using enum QLinearMatMulInput::Index;
  for (const std::size_t operand : {kA, kB, kYZeroPoint}) require_quantized(i, operand, "qlinear_matmul_c1");
  require_dtype(i, kAZeroPoint, i.dtype(kA), "qlinear_matmul_c1");
  require_dtype(i, kBZeroPoint, i.dtype(kB), "qlinear_matmul_c1");
  for (const std::size_t scale : {kAScale, kBScale, kYScale})
    if (!is_float(i.dtype(scale)) || i.dtype(scale) == DType::kDouble)
      fail_constraint("qlinear_matmul_c2", "input {} is {}, wanted float32, float16 or bfloat16", scale,
                      name(i.dtype(scale)));
  const auto y = infer_matmul(i.input(kA).shape, i.input(kB).shape, "qlinear_matmul_c3");
  for (const std::size_t parameter : {kAScale, kAZeroPoint})
    require_lines(i, parameter, kA, Line::kRow, "qlinear_matmul_c4");
  for (const std::size_t parameter : {kBScale, kBZeroPoint})
    require_lines(i, parameter, kB, Line::kColumn, "qlinear_matmul_c4");
  for (const std::size_t parameter : {kYScale, kYZeroPoint}) require_one_element(i, parameter, "qlinear_matmul_c5");
  i.set_output(0, i.dtype(kYZeroPoint), y);
}

void compute_qlinear_matmul(Call& call) {
  using enum QLinearMatMulInput::Index;
  refuse_minifloat(call);
  const QuantizedLines a = {line_scales(call, kAScale, kA, Line::kRow),
                            line_zero_points(call, kAZeroPoint, kA, Line::kRow)};
  const QuantizedLines b = {line_scales(call, kBScale, kB, Line::kColumn),
                            line_zero_points(call, kBZeroPoint, kB, Line::kColumn)};
  qlinear_matmul(call.input(kA), a, call.input(kB), b, quantization_at(call, kYScale, kYZeroPoint), call.output(0),
                 call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kQLinearMatMul = {
    .name = "QLinearMatMul",
    .versions = {10, 21},
    .formula =
        "y = saturate(round(acc * ((a_scale * b_scale) / y_scale)) + y_zero_point), "
        "acc = (a - a_zero_point) @ (b - b_zero_point)",
    .constraints = {{"qlinear_matmul_c1",
                     "a, b and y are int8 or uint8 (float8 is not computed); each zero point has "
                     "its tensor's type"},
                    {"qlinear_matmul_c2", "the scales are float32, float16 or bfloat16"},
                    {"qlinear_matmul_c3", "a is [batch..., M, K], b is [batch..., K, N]; the batches broadcast"},
                    {"qlinear_matmul_c4",
                     "a's scale and zero point have one element or one for each row of a, b's "
                     "for each column of b"},
                    {"qlinear_matmul_c5", "y_scale and y_zero_point have one element"}},
    .infer = infer_qlinear_matmul,
    .compute = compute_qlinear_matmul,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kYScale,
               Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kMatMul,
    .macs = MacRule::kMatrix,
    .float_form = &ops::kMatMul,
};

}  // namespace octet
