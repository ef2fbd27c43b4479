// explain_table.cc: bytes that go through a table of 256 entries: activations, and operands that change their scale.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/axes.h"
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

// Element `element` of input `input` (its scale and zero point follow it) in the output's scale and zero point.
void explain_rescaling(const Applied& applied, Findings& findings, std::size_t input, std::int64_t element,
                       const Quantization& y) {
  const Quantization x = quantization_at(applied.call(), input + 1, input + 2);
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
  const auto [v, exact_v] =
      explain_operand(applied, findings, 0, applied.element(), quantization_at(applied.call(), 1, 2));
  float w;
  Exact exact = Exact::none();
  if (applied.operation().op->name == "QLinearSigmoid") {
    w = ort_sigmoid(v);
    findings.line("w", "sigmoid(v)", w, "ONNX Runtime's rational approximation, float32");
  } else {
    const float alpha = applied.attributes().get_float("alpha", 0.01F);
    w = v >= 0 ? v : alpha * v;
    exact = v >= 0 ? exact_v : Exact(alpha) * exact_v;
    findings.line("alpha", "", alpha, Exact(alpha));
    findings.line("w", v >= 0 ? "v" : "alpha * v", w, exact, v >= 0 ? "v >= 0" : "v < 0");
  }
  findings.operation.result = std::int64_t{explain_through_float(findings, applied.arithmetic(), applied.dtype(), w,
                                                                 exact, quantization_at(applied.call(), 3, 4))};
}

void explain_concatenation(const Applied& applied, Findings& findings) {
  const std::size_t axis = normalize_axis(applied.attributes().get_int("axis", 0), applied.index().size(), "");
  Shape index = applied.index();
  std::size_t input = 2;
  for (; index[axis] >= applied.input(input).shape()[axis]; input += 3)
    index[axis] -= applied.input(input).shape()[axis];
  explain_rescaling(applied, findings, input, element_of(index, applied.input(input).shape()),
                    quantization_at(applied.call(), 0, 1));
}

void explain_choice(const Applied& applied, Findings& findings) {
  const bool condition =
      applied.input(0).as<bool>()[static_cast<std::size_t>(applied.broadcast_element(applied.input(0).shape()))];
  findings.section("choice");
  findings.line("condition", "", std::string(condition ? "true: X" : "false: Y"));
  const std::size_t input = condition ? 1 : 4;
  explain_rescaling(applied, findings, input, applied.broadcast_element(applied.input(input).shape()),
                    quantization_at(applied.call(), 7, 8));
}

void explain_table(const Applied& applied, Findings& findings) {
  const Tensor &table = applied.input(0), &indices = applied.input(1);
  const std::int64_t x = indices.int_at(applied.element()), entry = x < 0 ? x + table.size() : x;
  findings.section("table");
  findings.read(applied, "x", 1, applied.element());
  findings.line("entry", "", entry, x < 0 ? "the bits of x, read as uint8" : "");
  findings.line("y", "table[entry]", value_at(table, entry),
                fmt::format("{}: {}", applied.input_name(0), applied.step().reason));
  findings.operation.result = value_at(table, entry);
}

}  // namespace octet
