#include <algorithm>
#include <cmath>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/qlinear_softmax.h"
#include "octet/spec/softmax_axis.h"

namespace octet {

void explain_softmax(const Applied& applied, Findings& findings) {
  const Tensor& x = applied.input(Role::kX);
  const float x_scale = applied.quantization(Role::kXScale, Role::kXZeroPoint).scale;
  const Quantization y = applied.quantization(Role::kYScale, Role::kYZeroPoint);
  const auto [axis, flattens] = qlinear_softmax_axis(applied.attributes());
  const Lanes lanes = softmax_lanes(x.shape(), normalize_axis(axis, x.shape().size(), ""), flattens);
  const std::int64_t length = lanes.length, stride = lanes.step;
  const std::int64_t place = applied.element() / stride % length, first = applied.element() - place * stride;
  std::vector<std::int32_t> row;
  for (std::int64_t d = 0; d < length; ++d) row.push_back(static_cast<std::int32_t>(x.int_at(first + d * stride)));
  const std::int32_t max = *std::max_element(row.begin(), row.end());
  const auto exponential = [&](std::int32_t q) { return std::exp(double{x_scale} * (q - max)); };

  ExplainedSection& terms = findings.section("row");
  terms.terms.columns = {"x at", "x", "x - max", "exp(x_scale * (x - max))", "sum"};
  double sum = 0;
  for (std::int64_t d = 0; d < length; ++d) {
    const std::int32_t q = row[static_cast<std::size_t>(d)];
    sum += exponential(q);
    terms.terms.rows.push_back({to_string(index_of(first + d * stride, x.shape())), std::int64_t{q},
                                std::int64_t{q - max}, exponential(q), sum});
  }
  findings.line("max", "", std::int64_t{max}, "of the row; x's zero point has no effect");
  findings.line("x_scale", "", x_scale, Exact(x_scale));
  findings.section("quantization");
  findings.read(applied, "x", applied.at(Role::kX), applied.element());
  explain_parameters(findings, "y", y);
  const float steps = std::floor(1.0F / y.scale);
  findings.line("K", "floor(1 / y_scale)", steps, Exact(1) / Exact(y.scale), "the runtime rounds 1 / y_scale down");
  findings.line("t", "exp(x_scale * (x - max)) * K / sum",
                exponential(row[static_cast<std::size_t>(place)]) * steps / sum,
                "about: the runtime takes a scaled table of float32 exponentials, and their float32 sum");
  std::vector<std::int32_t> results(row.size());
  QLinearSoftmax(x_scale, y, applied.dtype(), length, applied.arithmetic())(row, results);
  const std::int64_t result = results[static_cast<std::size_t>(place)];
  findings.line("y", "saturate(round(t) + y_zero_point)", result, "the zero point after rounding");
  findings.operation.result = result;
}

}  // namespace octet
