#include <fmt/core.h>

#include <numeric>

#include "octet/analyze/support/explain_sum.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/quantized/qgemm.h"

namespace octet {
namespace {

// The element of the output as a row of one matrix times a column of another.
struct Place {
  std::int64_t left, right;  // the matrices
  std::int64_t row, column, depth;
  bool transpose_a, transpose_b;
  std::int64_t rows, columns;

  explicit Place(const Applied& applied, const SumInputs& at)
      : transpose_a(applied.attributes().get_int("transA", 0) != 0),
        transpose_b(applied.attributes().get_int("transB", 0) != 0) {
    const auto turned = [](Shape shape, bool transpose) {
      if (transpose) std::swap(shape[0], shape[1]);
      return shape;
    };
    const MatMulLayout layout(turned(applied.input(at.x).shape(), transpose_a),
                              turned(applied.input(at.w).shape(), transpose_b));
    const auto operands = layout.operands(applied.element() / (layout.m * layout.n));
    left = operands.a;
    right = operands.b;
    row = applied.element() / layout.n % layout.m;
    column = applied.element() % layout.n;
    depth = layout.k;
    rows = layout.m;
    columns = layout.n;
  }

  std::int64_t a_element(std::int64_t k) const {
    return transpose_a ? k * rows + row : (left * rows + row) * depth + k;
  }
  std::int64_t b_element(std::int64_t k) const {
    return transpose_b ? column * depth + k : (right * depth + k) * columns + column;
  }
};

IntegerSum sum_of(const Applied& applied, const SumInputs& at, const Place& place) {
  const Tensor &a = applied.input(at.x), &b = applied.input(at.w);
  const Call& call = applied.call();
  IntegerSum sum{.x_input = at.x, .w_input = at.w};
  if (is(applied.operation().op, ops::kQGemm)) {
    const std::vector<std::int32_t> a_zero = zero_points_at(call, at.x_zero_point);
    const std::vector<std::int32_t> b_zero = zero_points_at(call, at.w_zero_point);
    sum.x_zero_point = a_zero.empty() ? 0 : a_zero[0];
    sum.w_zero_point = b_zero.empty() ? 0 : one_or(b_zero, place.column);
    if (call.has(at.bias))
      sum.bias =
          static_cast<std::int32_t>(call.input(at.bias).int_at(applied.broadcast_element(call.input(at.bias).shape())));
  } else {
    sum.x_zero_point = line_zero_points(call, at.x_zero_point, at.x, Line::kRow).at(place.left, place.row);
    sum.w_zero_point = line_zero_points(call, at.w_zero_point, at.w, Line::kColumn).at(place.right, place.column);
  }
  for (std::int64_t k = 0; k < place.depth; ++k)
    sum.factors.push_back({place.a_element(k), place.b_element(k),
                           static_cast<std::int32_t>(a.int_at(place.a_element(k))),
                           static_cast<std::int32_t>(b.int_at(place.b_element(k)))});
  if (a.dtype() == DType::kUint8 && b.dtype() == DType::kInt8) {
    sum.pairs.resize(sum.factors.size());
    std::iota(sum.pairs.begin(), sum.pairs.end(), std::size_t{0});
  }
  return sum;
}

}  // namespace

void explain_matmul(const Applied& applied, Findings& findings) {
  const Operator& op = *applied.operation().op;
  const SumInputs at(op);
  const Call& call = applied.call();
  const Place place(applied, at);
  const IntegerSum sum = sum_of(applied, at, place);
  findings.section("row and column");
  findings.line("x", "", applied.input_name(at.x),
                fmt::format("{} {}", place.transpose_a ? "column" : "row", place.row));
  findings.line("w", "", applied.input_name(at.w),
                fmt::format("{} {}", place.transpose_b ? "row" : "column", place.column));
  const std::int32_t accumulator = explain_sum(applied, sum, findings);
  if (!call.has(at.x_scale)) {
    findings.operation.result = std::int64_t{accumulator};
    explain_saturation(applied, sum, accumulator, findings, [](std::int32_t acc) { return std::int64_t{acc}; });
    return;
  }

  const bool gemm = is(&op, ops::kQGemm);
  const float a_scale =
      gemm ? scales_at(call, at.x_scale)[0] : line_scales(call, at.x_scale, at.x, Line::kRow).at(place.left, place.row);
  const float b_scale = gemm ? one_or(scales_at(call, at.w_scale), place.column)
                             : line_scales(call, at.w_scale, at.w, Line::kColumn).at(place.right, place.column);
  const float alpha = gemm ? applied.attributes().get_float("alpha", 1) : 1;
  const bool to_float = is_float(applied.dtype());
  findings.section(to_float ? "scaling" : "requantization");
  findings.line("x_scale", "", a_scale, Exact(a_scale));
  findings.line("w_scale", "", b_scale, Exact(b_scale), fmt::format("of column {}", place.column));
  if (alpha != 1) findings.line("alpha", "", alpha, Exact(alpha));
  const std::string product = alpha == 1 ? "x_scale * w_scale" : "(alpha * x_scale) * w_scale";
  const float scale = scale_with_alpha(alpha, a_scale) * b_scale;
  const Exact exact_scale = Exact(alpha) * Exact(a_scale) * Exact(b_scale);
  findings.line(to_float ? "M" : "", product, scale, exact_scale);
  float multiplier = scale;
  Exact exact = exact_scale;
  if (call.has(at.y_scale)) {
    const float y_scale = static_cast<float>(call.input(at.y_scale).number_at(0));
    multiplier = scale / y_scale;
    exact = exact_scale / Exact(y_scale);
    findings.line("y_scale", "", y_scale, Exact(y_scale));
    findings.line("M", fmt::format("({}) / y_scale", product), multiplier, exact);
  }
  findings.line("M, exact", "", exact.fraction());

  if (to_float) {
    const auto finish = [&](std::int32_t acc) {
      const float y = static_cast<float>(acc) * multiplier;
      return call.has(at.real_bias) ? y + call.input(at.real_bias).as<float>()[static_cast<std::size_t>(place.column)]
                                    : y;
    };
    const Exact scaled = Exact(std::int64_t{accumulator}) * exact;
    findings.line("y", "f32(acc) * M", static_cast<float>(accumulator) * multiplier, scaled);
    if (call.has(at.real_bias)) {
      const float bias = call.input(at.real_bias).as<float>()[static_cast<std::size_t>(place.column)];
      findings.line("bias", "", bias, Exact(bias));
      findings.line("", "y + bias", finish(accumulator), scaled + Exact(bias), "an addition of its own");
    }
    findings.operation.result = finish(accumulator);
    explain_saturation(applied, sum, accumulator, findings, finish);
    return;
  }
  const auto zero_point = static_cast<std::int32_t>(call.input(at.y_zero_point).int_at(0));
  findings.line("y_zero_point", "", std::int64_t{zero_point});
  const QuantizedOutput output = quantized_output(applied.dtype(), zero_point, ZeroPoint::kAfterRounding);
  findings.operation.result =
      std::int64_t{explain_requantization(findings, applied.arithmetic(), accumulator, multiplier, exact, output)};
  const Requantizer requantize(applied.arithmetic(), multiplier, output);
  explain_saturation(applied, sum, accumulator, findings,
                     [&](std::int32_t acc) { return std::int64_t{requantize(acc)}; });
}

void explain_dynamic_matmul(const Applied& applied, Findings& findings) {
  const Tensor& real = applied.input(Role::kX);
  Tensor x(DType::kUint8, real.shape());
  const Quantization quantization =
      dynamic_quantize_linear(real.as<float>(), x.mutable_as<std::uint8_t>(), applied.arithmetic().rounding);
  findings.section("quantization of A");
  explain_parameters(findings, "x", quantization);
  Operation product = applied.operation();
  product.op = &ops::kMatMulIntegerToFloat;
  product.inputs.clear();
  std::vector<Tensor> inputs;
  for (const Role role : product.op->inputs) {
    const std::optional<std::size_t> number = input_number(*applied.operation().op, role);
    product.inputs.push_back(input_id(applied.operation(), role));
    inputs.push_back(number && applied.has(*number) ? applied.input(*number) : Tensor());
    if (role == Role::kX) inputs.back() = x;
    if (role == Role::kXScale) inputs.back() = Tensor::scalar(quantization.scale);
    if (role == Role::kXZeroPoint) inputs.back() = Tensor::scalar(static_cast<std::uint8_t>(quantization.zero_point));
  }
  explain_matmul(Applied(applied, product, std::move(inputs)), findings);
}

}  // namespace octet
