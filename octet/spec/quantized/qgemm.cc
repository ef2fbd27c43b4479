#include "octet/spec/quantized/qgemm.h"

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {

float qgemm_multiplier(const QGemmParameters& parameters, float b_scale) {
  const float a_scale = scale_with_alpha(parameters.alpha, parameters.a.scale);
  return parameters.y_scale ? requantization_multiplier(a_scale, b_scale, *parameters.y_scale) : a_scale * b_scale;
}

void qgemm(const QGemmParameters& parameters, const Tensor& a, const Tensor& b, const Tensor& c, Tensor& y,
           const Arithmetic& arithmetic, const Parallel& parallel) {
  const std::int64_t m = y.shape()[0], n = y.shape()[1], k = a.shape()[parameters.transpose_a ? 0 : 1];
  const MatMulLayout layout({m, k}, {k, n});
  const LineParameter<std::int32_t> a_zero_point = {{parameters.a.zero_point}, {}};
  LineParameter<std::int32_t> b_zero_points = {parameters.b_zero_points, {}};
  if (parameters.b_zero_points.size() > 1) b_zero_points.index = LineIndex({n}, {k, n}, Line::kColumn);
  IntegerBias bias;
  if (!c.empty()) {
    const auto strides = broadcast_strides(c.shape(), y.shape());
    bias = {c.as<std::int32_t>(), strides[0], strides[1]};
  }
  const auto multiply = [&](const auto& store) {
    multiply_integers(layout, lines_of(a, parameters.transpose_a ? Line::kColumn : Line::kRow, a_zero_point),
                      lines_of(b, parameters.transpose_b ? Line::kRow : Line::kColumn, b_zero_points), bias, arithmetic,
                      parallel, [&](std::int64_t, std::int64_t row, std::span<const std::int32_t> accumulators) {
                        for (std::int64_t column = 0; column < n; ++column)
                          store(static_cast<std::size_t>(row * n + column), column,
                                accumulators[static_cast<std::size_t>(column)]);
                      });
  };
  std::vector<float> multipliers;
  for (float b_scale : parameters.b_scales) multipliers.push_back(qgemm_multiplier(parameters, b_scale));
  if (!parameters.y_zero_point) {
    const std::span<float> to = y.mutable_as<float>();
    return multiply([&](std::size_t element, std::int64_t column, std::int32_t accumulator) {
      to[element] = static_cast<float>(accumulator) * one_or(multipliers, column);
    });
  }
  const QuantizedOutput output = quantized_output(y.dtype(), *parameters.y_zero_point, ZeroPoint::kAfterRounding);
  std::vector<Requantizer> requantizers;
  for (float multiplier : multipliers) requantizers.emplace_back(arithmetic, multiplier, output);
  visit_8bit(y.dtype(), [&]<typename T>() {
    const std::span<T> to = y.mutable_as<T>();
    multiply([&](std::size_t element, std::int64_t column, std::int32_t accumulator) {
      to[element] = static_cast<T>(one_or(requantizers, column)(accumulator, column));
    });
  });
}

namespace {

struct QGemmInput {
  enum Index : std::size_t { kA, kAScale, kAZeroPoint, kB, kBScale, kBZeroPoint, kC, kYScale, kYZeroPoint };
};

void infer_qgemm(Inference& i) {
  using enum QGemmInput::Index;
  require_8bit(i, kA, "qgemm_c1");
  require_8bit(i, kB, "qgemm_c1");
  require_dtype(i, kAZeroPoint, i.dtype(kA), "qgemm_c1");
  require_dtype(i, kBZeroPoint, i.dtype(kB), "qgemm_c1");
  require_dtype(i, kC, DType::kInt32, "qgemm_c1");
  if (i.has(kYZeroPoint)) require_8bit(i, kYZeroPoint, "qgemm_c1");
  i.input(kAScale);
  i.input(kBScale);
  for (const std::size_t scale : {kAScale, kBScale, kYScale}) require_dtype(i, scale, DType::kFloat, "qgemm_c2");

  for (const std::size_t operand : {kA, kB})
    if (i.has_shape(operand) && i.shape(operand).size() != 2)
      fail_constraint("qgemm_c3", "input {} is {}, wanted a matrix", operand, to_string(i.shape(operand)));
  const auto dim = [&](std::size_t operand, bool transposed, std::size_t axis) {
    return i.has_shape(operand) ? i.shape(operand)[transposed ? 1 - axis : axis] : Dim();
  };
  const bool transpose_a = i.attributes().get_int("transA", 0) != 0;
  const bool transpose_b = i.attributes().get_int("transB", 0) != 0;
  const SymbolicShape y = {dim(kA, transpose_a, 0), dim(kB, transpose_b, 1)};
  const Dim k = dim(kA, transpose_a, 1), other = dim(kB, transpose_b, 0);
  if (surely_different(k, other))
    fail_constraint("qgemm_c3", "A is {} wide, B {} high: wanted the same", k.value(), other.value());

  for (const std::size_t one : {kAScale, kAZeroPoint, kYScale, kYZeroPoint}) require_one_element(i, one, "qgemm_c4");
  require_one_or(i, kBScale, y[1], "qgemm_c4");
  require_one_or(i, kBZeroPoint, y[1], "qgemm_c4");
  if (i.has_shape(kC)) {
    const SymbolicShape& c = i.shape(kC);
    bool fits = c.size() <= 2;
    for (std::size_t d = 0; fits && d < c.size(); ++d)
      fits = !surely_different(c[d], y[2 - c.size() + d]) || !surely_different(c[d], 1);
    if (!fits) fail_constraint("qgemm_c5", "C is {}, wanted what broadcasts to {}", to_string(c), to_string(y));
  }
  i.set_output(0, i.has(kYZeroPoint) ? i.dtype(kYZeroPoint) : DType::kFloat, y);
}

void compute_qgemm(Call& call) {
  using enum QGemmInput::Index;
  QGemmParameters parameters;
  parameters.transpose_a = call.attributes().get_int("transA", 0) != 0;
  parameters.transpose_b = call.attributes().get_int("transB", 0) != 0;
  parameters.alpha = call.attributes().get_float("alpha", 1);
  parameters.a = quantization_at(call, kAScale, kAZeroPoint);
  parameters.b_scales = scales_at(call, kBScale);
  parameters.b_zero_points = zero_points_at(call, kBZeroPoint);
  if (call.has(kYScale)) parameters.y_scale = scales_at(call, kYScale)[0];
  if (call.has(kYZeroPoint)) parameters.y_zero_point = zero_points_at(call, kYZeroPoint)[0];
  qgemm(parameters, call.input(kA), call.input(kB), call.has(kC) ? call.input(kC) : Tensor(), call.output(0),
        call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kQGemm = {
    .name = "QGemm",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "y = saturate(round(acc * (((alpha * a_scale) * b_scale) / y_scale)) + y_zero_point), "
        "acc = C + (A - a_zero_point) @ (B - b_zero_point)",
    .constraints = {{"qgemm_c1",
                     "A and B are int8 or uint8, each zero point has its matrix' type; y_zero_point is "
                     "int8 or uint8; C is int32"},
                    {"qgemm_c2", "the scales are float32"},
                    {"qgemm_c3", "A is [M, K], B is [K, N], or transposed as transA and transB say"},
                    {"qgemm_c4",
                     "a_scale, a_zero_point, y_scale and y_zero_point have one element; b_scale and "
                     "b_zero_point one or N"},
                    {"qgemm_c5", "C broadcasts to [M, N]"}},
    .infer = infer_qgemm,
    .compute = compute_qgemm,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kBias,
               Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kMatMul,
    .macs = MacRule::kMatrix,
    .float_form = &ops::kGemm,
};

}  // namespace octet
