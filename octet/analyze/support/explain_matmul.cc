#include <fmt/core.h>

#include <numeric>

#include "octet/analyze/support/explain_sum.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/integer_matmul.h"
#include "octet/spec/quantized/qgemm.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr std::size_t kNone = 99;  // no operation has so many inputs

struct Layout {
  std::string_view op;
  std::size_t a, a_scale, a_zero_point, b, b_scale, b_zero_point, bias, y_scale, y_zero_point, float_bias;
};
constexpr Layout kLayouts[] = {{"QLinearMatMul", 0, 1, 2, 3, 4, 5, kNone, 6, 7, kNone},
                               {"QGemm", 0, 1, 2, 3, 4, 5, 6, 7, 8, kNone},
                               {"MatMulInteger", 0, kNone, 2, 1, kNone, 3, kNone, kNone, kNone, kNone},
                               {"MatMulIntegerToFloat", 0, 2, 4, 1, 3, 5, kNone, kNone, kNone, 6}};

const Layout& layout_of(std::string_view op) {
  const Layout* layout = kLayouts;
  while (layout->op != op) ++layout;
  return *layout;
}

// The element of the output as a row of one matrix times a column of another.
struct Place {
  std::int64_t left, right;  // the matrices
  std::int64_t row, column, depth;
  bool transpose_a, transpose_b;
  std::int64_t rows, columns;

  explicit Place(const Work& work, const Layout& at)
      : transpose_a(work.attributes().get_int("transA", 0) != 0),
        transpose_b(work.attributes().get_int("transB", 0) != 0) {
    const auto turned = [](Shape shape, bool transpose) {
      if (transpose) std::swap(shape[0], shape[1]);
      return shape;
    };
    const MatMulLayout layout(turned(work.input(at.a).shape(), transpose_a),
                              turned(work.input(at.b).shape(), transpose_b));
    const auto operands = layout.operands(work.element() / (layout.m * layout.n));
    left = operands.a;
    right = operands.b;
    row = work.element() / layout.n % layout.m;
    column = work.element() % layout.n;
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

IntegerSum sum_of(const Work& work, const Layout& at, const Place& place) {
  const Tensor &a = work.input(at.a), &b = work.input(at.b);
  const Call& call = work.call();
  IntegerSum sum{.x_input = at.a, .w_input = at.b};
  if (at.op == "QGemm") {
    const std::vector<std::int32_t> a_zero = zero_points_at(call, at.a_zero_point);
    const std::vector<std::int32_t> b_zero = zero_points_at(call, at.b_zero_point);
    sum.x_zero_point = a_zero.empty() ? 0 : a_zero[0];
    sum.w_zero_point = b_zero.empty() ? 0 : one_or(b_zero, place.column);
    if (call.has(at.bias))
      sum.bias =
          static_cast<std::int32_t>(call.input(at.bias).int_at(work.broadcast_element(call.input(at.bias).shape())));
  } else {
    sum.x_zero_point = line_zero_points(call, at.a_zero_point, at.a, Line::kRow).at(place.left, place.row);
    sum.w_zero_point = line_zero_points(call, at.b_zero_point, at.b, Line::kColumn).at(place.right, place.column);
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

void explain_matmul(const Work& work, Findings& findings) {
  const Layout& at = layout_of(work.operation().op->name);
  const Call& call = work.call();
  const Place place(work, at);
  const IntegerSum sum = sum_of(work, at, place);
  findings.section("row and column");
  findings.line("x", "", work.input_name(at.a), fmt::format("{} {}", place.transpose_a ? "column" : "row", place.row));
  findings.line("w", "", work.input_name(at.b),
                fmt::format("{} {}", place.transpose_b ? "row" : "column", place.column));
  const std::int32_t accumulator = explain_sum(work, sum, findings);
  if (at.a_scale == kNone) {
    findings.operation.result = std::int64_t{accumulator};
    explain_saturation(work, sum, accumulator, findings, [](std::int32_t acc) { return std::int64_t{acc}; });
    return;
  }

  const bool gemm = at.op == "QGemm";
  const float a_scale =
      gemm ? scales_at(call, at.a_scale)[0] : line_scales(call, at.a_scale, at.a, Line::kRow).at(place.left, place.row);
  const float b_scale = gemm ? one_or(scales_at(call, at.b_scale), place.column)
                             : line_scales(call, at.b_scale, at.b, Line::kColumn).at(place.right, place.column);
  const float alpha = gemm ? work.attributes().get_float("alpha", 1) : 1;
  const bool to_float = is_float(work.dtype());
  findings.section(to_float ? "scaling" : "requantization");
  findings.line("x_scale", "", a_scale, Exact(a_scale));
  findings.line("w_scale", "", b_scale, Exact(b_scale), fmt::format("of column {}", place.column));
  if (alpha != 1) findings.line("alpha", "", alpha, Exact(alpha));
  const std::string product = alpha == 1 ? "x_scale * w_scale" : "(alpha * x_scale) * w_scale";
  const float scale = alpha * a_scale * b_scale;
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
      return call.has(at.float_bias) ? y + call.input(at.float_bias).as<float>()[static_cast<std::size_t>(place.column)]
                                     : y;
    };
    const Exact scaled = Exact(std::int64_t{accumulator}) * exact;
    findings.line("y", "f32(acc) * M", static_cast<float>(accumulator) * multiplier, scaled);
    if (call.has(at.float_bias)) {
      const float bias = call.input(at.float_bias).as<float>()[static_cast<std::size_t>(place.column)];
      findings.line("bias", "", bias, Exact(bias));
      findings.line("", "y + bias", finish(accumulator), scaled + Exact(bias), "an addition of its own");
    }
    findings.operation.result = finish(accumulator);
    explain_saturation(work, sum, accumulator, findings, finish);
    return;
  }
  const auto zero_point = static_cast<std::int32_t>(call.input(at.y_zero_point).int_at(0));
  findings.line("y_zero_point", "", std::int64_t{zero_point});
  const QuantizedOutput output = quantized_output(work.dtype(), zero_point, ZeroPoint::kAfterRounding);
  findings.operation.result =
      std::int64_t{explain_requantization(findings, work.arithmetic(), accumulator, multiplier, exact, output)};
  const Requantizer requantize(work.arithmetic(), multiplier, output);
  explain_saturation(work, sum, accumulator, findings, [&](std::int32_t acc) { return std::int64_t{requantize(acc)}; });
}

void explain_dynamic_matmul(const Work& work, Findings& findings) {
  const Tensor& real = work.input(0);
  Tensor a(DType::kUint8, real.shape());
  const Quantization quantization =
      dynamic_quantize_linear(real.as<float>(), a.mutable_as<std::uint8_t>(), work.arithmetic().rounding);
  findings.section("quantization of A");
  explain_parameters(findings, "x", quantization);
  const auto input = [&](std::size_t i) { return work.has(i) ? work.input(i) : Tensor(); };
  const auto name = [&](std::size_t i) {
    return i < work.operation().inputs.size() ? work.operation().inputs[i] : kNoValue;
  };
  Operation product = work.operation();
  product.op = find_operator("com.microsoft", "MatMulIntegerToFloat");
  product.inputs = {name(0), name(1), kNoValue, name(2), kNoValue, name(3), name(4)};
  explain_matmul(Work(work, product,
                      {a, input(1), Tensor::scalar(quantization.scale), input(2),
                       Tensor::scalar(static_cast<std::uint8_t>(quantization.zero_point)), input(3), input(4)}),
                 findings);
}

}  // namespace octet
