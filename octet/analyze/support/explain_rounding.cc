#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/analyze/support/explainers.h"

namespace octet {
namespace {

// Which side of a tie the computed number and the exact one lie on, in words where that matters.
std::string tie_note(const Exact& computed, const Exact& exact, Rounding rounding) {
  if (rounding == Rounding::kTowardZero || rounding == Rounding::kFloor) return "";
  const auto side = [](const Exact& distance) { return distance.sign() < 0 ? "below" : "above"; };
  if (computed.sign() == 0) {
    const std::string goes = fmt::format("on the tie, which goes {}", direction_text(rounding));
    return !exact.is_number() || exact.sign() == 0 ? goes : fmt::format("{}; exactly it lies {}", goes, side(exact));
  }
  if (exact.is_number() && exact.sign() == 0)
    return fmt::format("exactly on the tie; rounding errors put it {}", side(computed));
  if (exact.is_number() && computed.sign() != exact.sign())
    return fmt::format("rounding errors carried it across the tie, {}", side(computed));
  return "";
}

template <typename Real>
void explain_tie(Findings& findings, const char* of, Real t, const Exact& exact, Rounding rounding) {
  if (!std::isfinite(t)) return;
  const double tie_value = std::floor(static_cast<double>(t)) + 0.5;
  const Exact tie(tie_value), distance = Exact(t) - tie;
  const std::string minus = tie.sign() < 0 ? fmt::format("+ {}", (-tie).decimal()) : fmt::format("- {}", tie.decimal());
  findings.line("to the tie", fmt::format("{} {}", of, minus), static_cast<double>(t) - tie_value, exact - tie,
                tie_note(distance, exact - tie, rounding));
}

// The exact value, rounded once by the same rule.
void correct_result(Findings& findings, const Exact& exact, std::int64_t shift, const IntegerRange& range,
                    Rounding rounding) {
  if (!exact.is_number()) return;
  const std::int64_t q = exact.rounded(rounding).value_or(exact.sign() * (std::int64_t{1} << 62));
  findings.alternative("no error before the rounding", std::clamp(q + shift, range.min, range.max),
                       "the exact value, rounded once");
}

}  // namespace

std::string_view direction_text(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTiesEven: return "to even";
    case Rounding::kTiesAway: return "away from zero";
    case Rounding::kTiesUp: return "up";
    case Rounding::kTowardZero: return "toward zero";
    case Rounding::kFloor: return "down";
  }
  return "";
}

std::string range_text(const IntegerRange& range) { return fmt::format("[{}, {}]", range.min, range.max); }

void explain_parameters(Findings& findings, const std::string& operand, const Quantization& quantization) {
  findings.line(operand + "_scale", "", quantization.scale, Exact(quantization.scale));
  findings.line(operand + "_zero_point", "", std::int64_t{quantization.zero_point});
}

template <typename Real>
std::int32_t explain_rounding(Findings& findings, Real t, const Exact& exact, const QuantizedOutput& output,
                              Rounding rounding) {
  const std::int32_t result = quantize_real(t, output, rounding);
  const bool before = output.place == ZeroPoint::kBeforeRounding;
  const std::int64_t shift = before ? 0 : output.zero_point;
  Real s = t;
  Exact exact_s = exact;
  const bool shifted = before && output.zero_point != 0;
  if (shifted) {
    s += static_cast<Real>(output.zero_point);
    exact_s = exact + Exact(output.zero_point);
    findings.line("s", fmt::format("t + {}", output.zero_point), s, exact_s, "the zero point before rounding");
  }
  explain_tie(findings, shifted ? "s" : "t", s, exact_s, rounding);
  correct_result(findings, exact_s, shift, output.range, rounding);
  if (std::isfinite(s) && std::fabs(s) < Real(0x1p31)) {
    const std::int64_t whole = round_by(rounding, s);
    const bool drops = rounding == Rounding::kTowardZero || rounding == Rounding::kFloor;
    findings.line("rounded", shifted ? "round(s)" : "round(t)", whole,
                  fmt::format("{}{}", drops ? "" : "to nearest, ties ", direction_text(rounding)));
    if (!before)
      findings.line("+ zero point", fmt::format("{} + {}", whole, output.zero_point), whole + shift,
                    "the zero point after rounding");
    const bool inside = whole + shift >= output.range.min && whole + shift <= output.range.max;
    findings.line("saturated", "", std::int64_t{result},
                  fmt::format("{} {}", inside ? "inside" : "the nearer end of", range_text(output.range)));
    return result;
  }
  findings.line("saturated", "", std::int64_t{result},
                output.converts_first ? "not within int32: x86 makes it -2147483648 first"
                                      : "the nearer end of " + range_text(output.range));
  return result;
}
template std::int32_t explain_rounding(Findings&, float, const Exact&, const QuantizedOutput&, Rounding);
template std::int32_t explain_rounding(Findings&, double, const Exact&, const QuantizedOutput&, Rounding);

namespace {

std::int32_t explain_fixed_point(Findings& findings, const Arithmetic& arithmetic, std::int32_t accumulator,
                                 float multiplier, const QuantizedOutput& output) {
  const FixedMultiplier fixed = fixed_multiplier(multiplier, arithmetic.multiplier_bits);
  const bool before = output.place == ZeroPoint::kBeforeRounding;
  const std::int64_t t = fixed_product(accumulator, fixed, before ? output.zero_point : 0, arithmetic);
  const std::int64_t q = before ? t : t + output.zero_point;
  findings.line("m", "", fixed.m, fmt::format("M = m / 2^shift, m of {} bits", arithmetic.multiplier_bits));
  findings.line("shift", "", std::int64_t{fixed.shift});
  if (arithmetic.product == Product::kFixedSingle)
    findings.line("t", before ? "(acc * m + y_zero_point * 2^shift) >> shift" : "(acc * m) >> shift", t,
                  fmt::format("one rounding, ties {}", direction_text(arithmetic.rounding)));
  else
    findings.line("t", "high(2 * acc * m) >> (shift - 31)", t, "two roundings: ties up, then away from zero");
  if (!before) findings.line("+ zero point", fmt::format("{} + {}", t, output.zero_point), q);
  const std::int64_t result = std::clamp(q, output.range.min, output.range.max);
  findings.line("saturated", "", result, "to " + range_text(output.range));
  return static_cast<std::int32_t>(result);
}

}  // namespace

std::int32_t explain_requantization(Findings& findings, const Arithmetic& arithmetic, std::int32_t accumulator,
                                    float multiplier, const Exact& exact, const QuantizedOutput& unresolved) {
  const QuantizedOutput output = resolve(unresolved, arithmetic);
  const Exact product = Exact(std::int64_t{accumulator}) * exact;
  if (arithmetic.product == Product::kFloat64) {
    const double t = double{multiplier} * accumulator;
    findings.line("t", "acc * M", t, product, "in float64");
    return explain_rounding(findings, t, product, output, arithmetic.rounding);
  }
  if (arithmetic.product != Product::kFloat32)
    return explain_fixed_point(findings, arithmetic, accumulator, multiplier, output);
  const float real = static_cast<float>(accumulator), t = real * multiplier;
  if (Exact(real).rounded(Rounding::kFloor) != accumulator)
    findings.line("f32(acc)", "", real, Exact(std::int64_t{accumulator}), "24 bits are not enough for it");
  findings.line("t", "f32(acc) * M", t, product);
  return explain_rounding(findings, t, product, output, arithmetic.rounding);
}

std::int32_t explain_through_float(Findings& findings, const Arithmetic& arithmetic, DType dtype, float value,
                                   const Exact& exact, const Quantization& y) {
  findings.section("quantization");
  explain_parameters(findings, "y", y);
  const Exact quotient = exact / Exact(y.scale);
  const float t = value / y.scale;
  findings.line("t", "w / y_scale", t, quotient);
  return explain_rounding(findings, t, quotient,
                          resolve(quantized_output(dtype, y.zero_point, ZeroPoint::kAfterRounding), arithmetic),
                          arithmetic.rounding);
}

}  // namespace octet
