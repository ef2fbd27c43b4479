// explain_addition.cc: QLinearAdd, each float operation in its order (octet/spec/quantized/qlinear_add.h).
#include <fmt/core.h>

#include <cmath>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/quantized_binary.h"

namespace octet {
namespace {

// An operand, by the letter it has in the formulas.
struct Operand {
  std::string letter;
  Quantization quantization;
  std::int32_t value;

  std::string scale() const { return letter + "_scale"; }
  std::string ratio() const { return "M" + letter; }
  std::string zero() const { return "z" + letter; }
  std::string small() const { return letter == "A" ? "a" : "b"; }
  float zero_point() const { return static_cast<float>(quantization.zero_point); }
  Exact exact_term() const { return Exact(quantization.scale) * Exact(value - quantization.zero_point); }
};

// In the places that the formula calls A and B.
struct Addition {
  Operand a, b;
  Quantization c;
  QuantizedOutput output;  // not resolved
  const Arithmetic& arithmetic;

  Exact exact() const { return (a.exact_term() + b.exact_term()) / Exact(c.scale); }
};

// kAvx2 and kSse2: the zero points of a, b and c folded into one constant term.
std::int32_t explain_folded(Findings& findings, const Addition& addition) {
  const auto& [a, b, c, unresolved, arithmetic] = addition;
  const bool fused = arithmetic.add_order == AddOrder::kAvx2;
  QuantizedOutput output = resolve(unresolved, arithmetic);
  const auto [ra, rb, zeros] = fold_addition(a.quantization, b.quantization, c, arithmetic);
  const Exact exact_ra = Exact(a.quantization.scale) / Exact(c.scale);
  const Exact exact_rb = Exact(b.quantization.scale) / Exact(c.scale);
  const Exact exact_za = exact_ra * Exact(a.quantization.zero_point);
  const Exact exact_zb = exact_rb * Exact(b.quantization.zero_point);
  findings.line(a.ratio(), a.scale() + " / C_scale", ra, exact_ra);
  findings.line(b.ratio(), b.scale() + " / C_scale", rb, exact_rb);
  const float zb = rb * b.zero_point();
  findings.line("", b.ratio() + " * " + b.zero(), zb, exact_zb);
  const float za = ra * a.zero_point();
  if (!fused) findings.line("", a.ratio() + " * " + a.zero(), za, exact_za);
  findings.line("zeros",
                fused ? fmt::format("fma({}, {}, {} * {})", a.ratio(), a.zero(), b.ratio(), b.zero())
                      : fmt::format("{} * {} + {} * {}", a.ratio(), a.zero(), b.ratio(), b.zero()),
                zeros, exact_za + exact_zb, fused ? "one rounding for product and sum" : "");
  Exact exact_fixed = -(exact_za + exact_zb);
  float fixed = -zeros;
  if (output.place == ZeroPoint::kBeforeRounding) {
    fixed = static_cast<float>(c.zero_point) - zeros;
    exact_fixed = exact_fixed + Exact(c.zero_point);
    output.zero_point = 0;
    findings.line("f", "zC - zeros", fixed, exact_fixed, "the zero point of C before rounding");
  } else {
    findings.line("f", "-zeros", fixed, exact_fixed);
  }
  const auto real = [](std::int32_t value) { return static_cast<float>(value); };
  const Exact exact_t =
      addition.exact() + (output.place == ZeroPoint::kBeforeRounding ? Exact(c.zero_point) : Exact(0));
  if (fused) {
    const float inner = std::fma(real(b.value), rb, fixed);
    findings.line("u", fmt::format("fma({}, {}, f)", b.small(), b.ratio()), inner,
                  exact_fixed + exact_rb * Exact(b.value));
    const float t = std::fma(real(a.value), ra, inner);
    findings.line("t", fmt::format("fma({}, {}, u)", a.small(), a.ratio()), t, exact_t);
    return explain_rounding(findings, t, exact_t, output, arithmetic.rounding);
  }
  const float inner = fixed + real(a.value) * ra;
  findings.line("u", fmt::format("f + {} * {}", a.small(), a.ratio()), inner, exact_fixed + exact_ra * Exact(a.value));
  const float t = inner + real(b.value) * rb;
  findings.line("t", fmt::format("u + {} * {}", b.small(), b.ratio()), t, exact_t);
  return explain_rounding(findings, t, exact_t, output, arithmetic.rounding);
}

// Dequantize both, add, divide.
template <typename Real>
std::int32_t explain_portable(Findings& findings, const Addition& addition) {
  const auto& [a, b, c, unresolved, arithmetic] = addition;
  const auto dequantized = [](const Operand& o) {
    return Real(o.quantization.scale) * static_cast<Real>(o.value - o.quantization.zero_point);
  };
  const Real left = dequantized(a), right = dequantized(b), sum = left + right, t = sum / Real(c.scale);
  for (const Operand* o : {&a, &b})
    findings.line(o->letter, fmt::format("{} * ({} - {})", o->scale(), o->small(), o->zero()), dequantized(*o),
                  o->exact_term());
  findings.line("sum", "A + B", sum, a.exact_term() + b.exact_term());
  findings.line("t", "sum / C_scale", t, addition.exact());
  QuantizedOutput output = unresolved;
  output.converts_first = false;
  return explain_rounding(findings, t, addition.exact(), resolve(output, arithmetic), arithmetic.rounding);
}

std::int32_t explain_sum_of_two(Findings& findings, const Addition& addition) {
  const Arithmetic& arithmetic = addition.arithmetic;
  if (arithmetic.product == Product::kFloat64) return explain_portable<double>(findings, addition);
  const bool float32 = arithmetic.product == Product::kFloat32;
  if (float32 && (arithmetic.add_order == AddOrder::kAvx2 || arithmetic.add_order == AddOrder::kSse2))
    return explain_folded(findings, addition);
  if (float32 && arithmetic.add_order == AddOrder::kPortable) return explain_portable<float>(findings, addition);
  const auto& [a, b, c, output, rules] = addition;
  const std::int32_t result = qlinear_add(a.quantization, b.quantization, c, output.range, rules)(a.value, b.value);
  findings.line("t", "(A_scale * (a - zA) + B_scale * (b - zB)) / C_scale", std::string("in fixed point"),
                addition.exact());
  findings.line("y", "", std::int64_t{result}, "by integer multipliers and shifts");
  return result;
}

}  // namespace

void explain_addition(const Applied& applied, Findings& findings) {
  const auto [qa, qb, qc] = quantized_operands(applied.call());
  const Shape &a_shape = applied.input(Role::kX).shape(), &b_shape = applied.input(Role::kW).shape();
  const std::int64_t a_element = applied.broadcast_element(a_shape), b_element = applied.broadcast_element(b_shape);
  findings.section("operands");
  findings.read(applied, "a", applied.at(Role::kX), a_element);
  findings.read(applied, "b", applied.at(Role::kW), b_element);
  explain_parameters(findings, "A", qa);
  explain_parameters(findings, "B", qb);
  explain_parameters(findings, "C", qc);

  const Operand a{"A", qa, static_cast<std::int32_t>(applied.input(Role::kX).int_at(a_element))};
  const Operand b{"B", qb, static_cast<std::int32_t>(applied.input(Role::kW).int_at(b_element))};
  const IntegerRange range = integer_range(applied.dtype());
  const QuantizedOutput output = {qc.zero_point, range, ZeroPoint::kBeforeRounding, true};
  const bool exchanged = qlinear_add_swaps(a_shape, b_shape);
  findings.section("sum");
  if (exchanged)
    findings.line("order", "", std::string("A and B change places"),
                  "as in ONNX Runtime: A stands still along the innermost run of the broadcast");
  findings.operation.result =
      std::int64_t{explain_sum_of_two(findings, exchanged ? Addition{b, a, qc, output, applied.arithmetic()}
                                                          : Addition{a, b, qc, output, applied.arithmetic()})};
  const std::int32_t other = exchanged ? qlinear_add(qa, qb, qc, range, applied.arithmetic())(a.value, b.value)
                                       : qlinear_add(qb, qa, qc, range, applied.arithmetic())(b.value, a.value);
  findings.alternative(exchanged ? "A and B not exchanged" : "A and B exchanged", std::int64_t{other},
                       exchanged ? "as where A has more than one element along the innermost run"
                                 : "as where A stands still along the innermost run");
}

}  // namespace octet
