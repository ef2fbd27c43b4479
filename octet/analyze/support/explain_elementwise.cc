// explain_elementwise.cc: operators whose value the kernel alone knows: on each element of broadcast operands, and
// others.
#include <fmt/core.h>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// The four operations on the real numbers; no number for any other operator.
Exact exact_result(const Applied& applied) {
  const Operator* op = applied.operation().op;
  if (!is_float(applied.dtype()) || applied.operation().inputs.size() != 2) return Exact::none();
  const auto operand = [&](std::size_t i) {
    return Exact(applied.input(i).number_at(applied.broadcast_element(applied.input(i).shape())));
  };
  if (is(op, ops::kAdd)) return operand(0) + operand(1);
  if (is(op, ops::kSub)) return operand(0) - operand(1);
  if (is(op, ops::kMul)) return operand(0) * operand(1);
  return is(op, ops::kDiv) ? operand(0) / operand(1) : Exact::none();
}

}  // namespace

void explain_elementwise(const Applied& applied, Findings& findings) {
  findings.section("operands");
  for (std::size_t i = 0; i < applied.operation().inputs.size(); ++i)
    if (applied.has(i))
      findings.read(applied, fmt::format("input {}", i), i, applied.broadcast_element(applied.input(i).shape()));
  findings.operation.result = value_at(applied.output(), applied.element());
  findings.line("y", "", findings.operation.result, exact_result(applied));
}

void explain_whole(const Applied& applied, Findings& findings) {
  findings.section("operands");
  for (std::size_t i = 0; i < applied.operation().inputs.size(); ++i)
    if (applied.has(i))
      findings.line(fmt::format("input {}", i), "", applied.input_name(i),
                    std::string(name(applied.input(i).dtype())) + to_string(applied.input(i).shape()));
  findings.operation.result = value_at(applied.output(), applied.element());
  findings.line("y", "", findings.operation.result, "the operator's own value; it is not quantized arithmetic");
}

}  // namespace octet
