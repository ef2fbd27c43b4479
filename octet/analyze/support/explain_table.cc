// explain_table.cc: bytes that go through a table of 256 entries: activations, and operands that change their scale.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/support/axes.h"
#include "octet/spec/support/ort_sigmoid.h"

namespace octet {
namespace {

// The x that was read, as a real number; `exact` is the same without rounding.
struct Dequantized {
  float value;
  Exact exact;
};

Dequantized explain_operand(const Work& work, Findings& findings, std::size_t input, std::int64_t element,
                            const Quantization& x) {
  findings.section("operand");
  findings.read(work, "x", input, element);
  explain_parameters(findings, "x", x);
  const auto byte = static_cast<std::int32_t>(work.input(input).int_at(element));
  const Dequantized v = {dequantize_linear(byte, x), Exact(x.scale) * Exact(byte - x.zero_point)};
  findings.line("v", "x_scale * (x - x_zero_point)", v.value, v.exact);
  return v;
}

// Element `element` of input `input` (its scale and zero point follow it) in the output's scale and zero point.
void explain_rescaling(const Work& work, Findings& findings, std::size_t input, std::int64_t element,
                       const Quantization& y) {
  const Quantization x = quantization_at(work.call(), input + 1, input + 2);
  if (x == y) {
    findings.section("operand");
    findings.read(work, "x", input, element);
    findings.line("y", "x", value_at(work.input(input), element), "equal scales and zero points: the byte is copied");
    findings.operation.result = value_at(work.input(input), element);
    return;
  }
  const auto [value, exact] = explain_operand(work, findings, input, element, x);
  findings.line("w", "v", value, exact);
  findings.operation.result =
      std::int64_t{explain_through_float(findings, work.arithmetic(), work.dtype(), value, exact, y)};
}

}  // namespace

void explain_activation(const Work& work, Findings& findings) {
  const auto [v, exact_v] = explain_operand(work, findings, 0, work.element(), quantization_at(work.call(), 1, 2));
  float w;
  Exact exact = Exact::none();
  if (work.operation().op->name == "QLinearSigmoid") {
    w = ort_sigmoid(v);
    findings.line("w", "sigmoid(v)", w, "ONNX Runtime's rational approximation, float32");
  } else {
    const float alpha = work.attributes().get_float("alpha", 0.01F);
    w = v >= 0 ? v : alpha * v;
    exact = v >= 0 ? exact_v : Exact(alpha) * exact_v;
    findings.line("alpha", "", alpha, Exact(alpha));
    findings.line("w", v >= 0 ? "v" : "alpha * v", w, exact, v >= 0 ? "v >= 0" : "v < 0");
  }
  findings.operation.result = std::int64_t{
      explain_through_float(findings, work.arithmetic(), work.dtype(), w, exact, quantization_at(work.call(), 3, 4))};
}

void explain_concatenation(const Work& work, Findings& findings) {
  const std::size_t axis = normalize_axis(work.attributes().get_int("axis", 0), work.index().size(), "");
  Shape index = work.index();
  std::size_t input = 2;
  for (; index[axis] >= work.input(input).shape()[axis]; input += 3) index[axis] -= work.input(input).shape()[axis];
  explain_rescaling(work, findings, input, element_of(index, work.input(input).shape()),
                    quantization_at(work.call(), 0, 1));
}

void explain_choice(const Work& work, Findings& findings) {
  const bool condition =
      work.input(0).as<bool>()[static_cast<std::size_t>(work.broadcast_element(work.input(0).shape()))];
  findings.section("choice");
  findings.line("condition", "", std::string(condition ? "true: X" : "false: Y"));
  const std::size_t input = condition ? 1 : 4;
  explain_rescaling(work, findings, input, work.broadcast_element(work.input(input).shape()),
                    quantization_at(work.call(), 7, 8));
}

void explain_table(const Work& work, Findings& findings) {
  const Tensor &table = work.input(0), &indices = work.input(1);
  const std::int64_t x = indices.int_at(work.element()), entry = x < 0 ? x + table.size() : x;
  findings.section("table");
  findings.read(work, "x", 1, work.element());
  findings.line("entry", "", entry, x < 0 ? "the bits of x, read as uint8" : "");
  findings.line("y", "table[entry]", value_at(table, entry),
                fmt::format("{}: {}", work.input_name(0), work.step().reason));
  findings.operation.result = value_at(table, entry);
}

}  // namespace octet
