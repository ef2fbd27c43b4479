// explain_sum.h: sums of products in an accumulator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/analyze/support/explainers.h"

namespace octet {

// Where an operator that adds up products has its inputs, by their roles; what it does not have is beyond all inputs.
struct SumInputs {
  explicit SumInputs(const Operator& op);

  std::size_t x, x_scale, x_zero_point, w, w_scale, w_zero_point, bias, real_bias, y_scale, y_zero_point;
};

// One product: elements of x and w as stored, and where they are. Padding has no element and reads as x's zero point.
struct Factors {
  std::optional<std::int64_t> x_element;
  std::int64_t w_element;
  std::int32_t x, w;
};

struct IntegerSum {
  std::size_t x_input, w_input;    // of the operation
  std::vector<Factors> factors;    // in the operator's order of adding
  std::vector<std::size_t> pairs;  // the same, in the order in which x86 without VNNI takes them; empty: it is exact
  std::int32_t x_zero_point = 0, w_zero_point = 0;
  std::optional<std::int32_t> bias;
};

// Sections with the products and the accumulator, which is returned.
std::int32_t explain_sum(const Applied& applied, const IntegerSum& sum, Findings& findings);

// The accumulator that the saturating instruction makes of `accumulator`, and why, where a pair saturates; only for
// uint8 times int8, whichever of x and w is which.
struct SaturatedSum {
  std::int32_t accumulator;
  std::string note;
};
std::optional<SaturatedSum> saturated_sum(const Applied& applied, const IntegerSum& sum, std::int32_t accumulator);

// The alternative of an instruction that saturates pairs, where it is one; `finish` makes the result of an accumulator.
template <typename Finish>
void explain_saturation(const Applied& applied, const IntegerSum& sum, std::int32_t accumulator, Findings& findings,
                        Finish&& finish) {
  if (const auto saturated = saturated_sum(applied, sum, accumulator))
    findings.alternative(std::string(kSaturatingPairs), finish(saturated->accumulator), saturated->note);
}

}  // namespace octet
