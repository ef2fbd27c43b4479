// explain_elementwise.cc: operators whose value the kernel alone knows: on each element of broadcast operands, and
// others.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"

namespace octet {
namespace {

// The four operations on the real numbers; no number for any other operator.
Exact exact_result(const Work& work) {
  const std::string_view op = work.operation().op->name;
  if (!is_float(work.dtype()) || work.operation().inputs.size() != 2) return Exact::none();
  const auto operand = [&](std::size_t i) {
    return Exact(work.input(i).number_at(work.broadcast_element(work.input(i).shape())));
  };
  if (op == "Add") return operand(0) + operand(1);
  if (op == "Sub") return operand(0) - operand(1);
  if (op == "Mul") return operand(0) * operand(1);
  return op == "Div" ? operand(0) / operand(1) : Exact::none();
}

}  // namespace

void explain_elementwise(const Work& work, Findings& findings) {
  findings.section("operands");
  for (std::size_t i = 0; i < work.operation().inputs.size(); ++i)
    if (work.has(i)) findings.read(work, fmt::format("input {}", i), i, work.broadcast_element(work.input(i).shape()));
  findings.operation.result = value_at(work.output(), work.element());
  findings.line("y", "", findings.operation.result, exact_result(work));
}

void explain_whole(const Work& work, Findings& findings) {
  findings.section("operands");
  for (std::size_t i = 0; i < work.operation().inputs.size(); ++i)
    if (work.has(i))
      findings.line(fmt::format("input {}", i), "", work.input_name(i),
                    std::string(name(work.input(i).dtype())) + to_string(work.input(i).shape()));
  findings.operation.result = value_at(work.output(), work.element());
  findings.line("y", "", findings.operation.result, "the operator's own value; it is not quantized arithmetic");
}

}  // namespace octet
