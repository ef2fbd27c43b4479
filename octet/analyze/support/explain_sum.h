// explain_sum.h: sums of products in an accumulator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/analyze/support/explainers.h"

namespace octet {

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
std::int32_t explain_sum(const Work& work, const IntegerSum& sum, Findings& findings);

// The accumulator that the saturating instruction makes of `accumulator`, and why, where a pair saturates; only for
// uint8 times int8, whichever of x and w is which.
struct SaturatedSum {
  std::int32_t accumulator;
  std::string note;
};
std::optional<SaturatedSum> saturated_sum(const Work& work, const IntegerSum& sum, std::int32_t accumulator);

// The alternative of an instruction that saturates pairs, where it is one; `finish` makes the result of an accumulator.
template <typename Finish>
void explain_saturation(const Work& work, const IntegerSum& sum, std::int32_t accumulator, Findings& findings,
                        Finish&& finish) {
  constexpr const char* kRule = "AVX2 without VNNI, pairs of products in int16";
  if (const auto saturated = saturated_sum(work, sum, accumulator))
    findings.alternative(kRule, finish(saturated->accumulator), saturated->note);
}

}  // namespace octet
