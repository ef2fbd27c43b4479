// sum_limits.h: where sums of products on integers are no longer those of the float form. The integer form adds up in int32
// and wraps; the float form rounds at every addition. Exact fusion checks these limits.
#pragma once

#include "octet/program/support/patterns.h"
#include "octet/spec/reach.h"

namespace octet {

// A sum of n products: |x - zx| |w - zw| <= 255 * 255, so n <= 33025 never leave int32 (33025 * 65025 < 2^31), and more do not
// where the weights are constant and small. Where n is not known before the run, it is taken to be so many at most.
//
// The float form adds up with an error of at most E = (n + 8) 2^-24 Sum |x - zx| |w - zw|, in units of the sum (as
// near_tie.h has it). The result has M = scale_x * scale_w / scale_y steps for a unit. Below one step that is what every
// quantized network lives with; from M = 1 on, sums that cancel show it as other results, unless M E < 1.
//
// Throws NotFused where the int32 sum of the node's products and `bias` ("" is none) may wrap, or where `result` is one
// that the float form's own roundings decide.
void require_exact_sums(const Draft& draft, const Node& node, const Operand& x, const Operand& w,
                        const std::string& bias, const Result* result);

// The same of operands of 16 bits with constant weights, whose sums are joined of sums of bytes: those have at most 33025
// products. A result of 16 bits has so many steps that M E is no longer small in every network: wanted is M E < 1, with the
// weights at hand, for each QuantizeLinear behind the node. Returns how far the sums of all channels reach.
Interval require_wide_sums(Draft& draft, const Node& node, const Operand& x, const Operand& w, const Tensor& bias);

}  // namespace octet
