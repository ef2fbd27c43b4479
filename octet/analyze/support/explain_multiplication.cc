#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/quantized_binary.h"

namespace octet {

void explain_multiplication(const Applied& applied, Findings& findings) {
  const auto [a, b, c] = quantized_operands(applied.call());
  const std::int64_t a_element = applied.broadcast_element(applied.input(Role::kX).shape());
  const std::int64_t b_element = applied.broadcast_element(applied.input(Role::kW).shape());
  findings.section("operands");
  findings.read(applied, "a", applied.at(Role::kX), a_element);
  findings.read(applied, "b", applied.at(Role::kW), b_element);
  explain_parameters(findings, "A", a);
  explain_parameters(findings, "B", b);
  explain_parameters(findings, "C", c);

  const auto left = static_cast<std::int32_t>(applied.input(Role::kX).int_at(a_element)) - a.zero_point;
  const auto right = static_cast<std::int32_t>(applied.input(Role::kW).int_at(b_element)) - b.zero_point;
  findings.section("product");
  findings.line("", "a - zA", std::int64_t{left});
  findings.line("", "b - zB", std::int64_t{right});
  findings.line("acc", "(a - zA) * (b - zB)", std::int64_t{left * right});
  const float multiplier = requantization_multiplier(a.scale, b.scale, c.scale);
  const Exact exact = Exact(a.scale) * Exact(b.scale) / Exact(c.scale);
  findings.section("requantization");
  findings.line("", "A_scale * B_scale", a.scale * b.scale, Exact(a.scale) * Exact(b.scale));
  findings.line("M", "(A_scale * B_scale) / C_scale", multiplier, exact);
  findings.line("M, exact", "", exact.fraction());
  findings.operation.result =
      std::int64_t{explain_requantization(findings, applied.arithmetic(), left * right, multiplier, exact,
                                          quantized_output(applied.dtype(), c.zero_point, ZeroPoint::kBeforeRounding))};
}

}  // namespace octet
