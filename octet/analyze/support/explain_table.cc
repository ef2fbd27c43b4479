// explain_table.cc: bytes that go through a table of 256 entries: activations, and operands that change their scale.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/axes.h"
#include "octet/spec/operators.h"
#include "octet/spec/ort_sigmoid.h"
#include "octet/spec/quantized/dequantize_linear.h"

namespace octet {
namespace {

// The x that was read, as a real number; `exact` is the same without rounding.
struct Dequantized {
  float value;
  Exact exact;
};

Dequantized explain_operand(const Applied& applied, Findings& findings, std::size_t input, std::int64_t element,
                            const Quantization& x) {
  findings.section("operand");
  findings.read(applied, "x", input, element);
  explain_parameters(findings, "x", x);
  const auto byte = static_cast<std::int32_t>(applied.input(input).int_at(element));
  const Dequantized v = {dequantize_linear(byte, x), Exact(x.scale) * Exact(byte - x.zero_point)};
  findings.line("v", "x_scale * (x - x_zero_point)", v.value, v.exact);
  return v;
}

// Element `element` of input `input`, whose integers mean what `x` says, in the output's scale and zero point.
void explain_rescaling(const Applied& applied, Findings& findings, std::size_t input, std::int64_t element,
                       const Quantization& x) {
  const Quantization y = applied.quantization(Role::kYScale, Role::kYZeroPoint);
  if (x == y) {
    findings.section("operand");
    findings.read(applied, "x", input, element);
    findings.line("y", "x", value_at(applied.input(input), element),
                  "equal scales and zero points: the byte is copied");
    findings.operation.result = value_at(applied.input(input), element);
    return;
  }
  const auto [value, exact] = explain_operand(applied, findings, input, element, x);
  findings.line("w", "v", value, exact);
  findings.operation.result =
      std::int64_t{explain_through_float(findings, applied.arithmetic(), applied.dtype(), value, exact, y)};
}

}  // namespace

void explain_activation(const Applied& applied, Findings& findings) {
  const auto [v, exact_v] = explain_operand(applied, findings, applied.at(Role::kX), applied.element(),
                                            applied.quantization(Role::kXScale, Role::kXZeroPoint));
  float w;
  Exact exact = Exact::none();
  if (is(applied.operation().op, ops::kQLinearSigmoid)) {
    w = ort_sigmoid(v);
    findings.line("w", "sigmoid(v)", w, "ONNX Runtime's rational approximation, float32");
  } else {
    const float alpha = applied.attributes().get_float("alpha", 0.01F);
    w = v >= 0 ? v : alpha * v;
    exact = v >= 0 ? exact_v : Exact(alpha) * exact_v;
    findings.line("alpha", "", alpha, Exact(alpha));
    findings.line("w", v >= 0 ? "v" : "alpha * v", w, exact, v >= 0 ? "v >= 0" : "v < 0");
  }
  findings.operation.result =
      std::int64_t{explain_through_float(findings, applied.arithmetic(), applied.dtype(), w, exact,
                                         applied.quantization(Role::kYScale, Role::kYZeroPoint))};
}

void explain_concatenation(const Applied& applied, Findings& findings) {
  const std::size_t axis = normalize_axis(applied.attributes().get_int("axis", 0), applied.index().size(), "");
  Shape index = applied.index();
  const auto shape = [&](std::size_t n) -> const Shape& { return applied.input(applied.at(Role::kX, n)).shape(); };
  std::size_t n = 0;
  for (; index[axis] >= shape(n)[axis]; ++n) index[axis] -= shape(n)[axis];
  explain_rescaling(applied, findings, applied.at(Role::kX, n), element_of(index, shape(n)),
                    applied.quantization(Role::kXScale, Role::kXZeroPoint, n));
}

void explain_choice(const Applied& applied, Findings& findings) {
  const Tensor& conditions = applied.input(Role::kCondition);
  const bool condition = conditions.as<bool>()[static_cast<std::size_t>(applied.broadcast_element(conditions.shape()))];
  findings.section("choice");
  findings.line("condition", "", std::string(condition ? "true: X" : "false: Y"));
  const std::size_t input = applied.at(condition ? Role::kX : Role::kW);
  explain_rescaling(applied, findings, input, applied.broadcast_element(applied.input(input).shape()),
                    condition ? applied.quantization(Role::kXScale, Role::kXZeroPoint)
                              : applied.quantization(Role::kWScale, Role::kWZeroPoint));
}

void explain_table(const Applied& applied, Findings& findings) {
  const Tensor &table = applied.input(Role::kMoved), &indices = applied.input(Role::kIndex);
  const std::int64_t x = indices.int_at(applied.element()), entry = x < 0 ? x + table.size() : x;
  findings.section("table");
  findings.read(applied, "x", applied.at(Role::kIndex), applied.element());
  findings.line("entry", "", entry, x < 0 ? "the bits of x, read as uint8" : "");
  findings.line("y", "table[entry]", value_at(table, entry),
                fmt::format("{}: {}", applied.input_name(applied.at(Role::kMoved)), applied.step().reason));
  findings.operation.result = value_at(table, entry);
}

}  // namespace octet
