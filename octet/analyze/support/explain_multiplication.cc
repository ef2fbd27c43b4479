#include "octet/analyze/support/explainers.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/quantized_binary.h"

namespace octet {

void explain_multiplication(const Work& work, Findings& findings) {
  const auto [a, b, c] = quantized_operands(work.call());
  const std::int64_t a_element = work.broadcast_element(work.input(0).shape());
  const std::int64_t b_element = work.broadcast_element(work.input(3).shape());
  findings.section("operands");
  findings.read(work, "a", 0, a_element);
  findings.read(work, "b", 3, b_element);
  explain_parameters(findings, "A", a);
  explain_parameters(findings, "B", b);
  explain_parameters(findings, "C", c);

  const auto left = static_cast<std::int32_t>(work.input(0).int_at(a_element)) - a.zero_point;
  const auto right = static_cast<std::int32_t>(work.input(3).int_at(b_element)) - b.zero_point;
  findings.section("product");
  findings.line("", "a - zA", std::int64_t{left});
  findings.line("", "b - zB", std::int64_t{right});
  findings.line("acc", "(a - zA) * (b - zB)", std::int64_t{left * right});
  const float multiplier = a.scale * b.scale / c.scale;
  const Exact exact = Exact(a.scale) * Exact(b.scale) / Exact(c.scale);
  findings.section("requantization");
  findings.line("", "A_scale * B_scale", a.scale * b.scale, Exact(a.scale) * Exact(b.scale));
  findings.line("M", "(A_scale * B_scale) / C_scale", multiplier, exact);
  findings.line("M, exact", "", exact.fraction());
  findings.operation.result =
      std::int64_t{explain_requantization(findings, work.arithmetic(), left * right, multiplier, exact,
                                          quantized_output(work.dtype(), c.zero_point, ZeroPoint::kBeforeRounding))};
}

}  // namespace octet
