// near_tie.h: integers that a judge computed in float.
//
// A runtime that did not fuse a QDQ pattern computes it in float32: dequantize, operate, QuantizeLinear. Before the
// final rounding its number is the exact one up to a float error that is bounded here; so its integer may be the
// neighbour of the exact one only where the exact number lies within that bound of the tie between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

// For every element of a step's result, before rounding and without zero point, in units of the output scale.
struct FloatResult {
  std::vector<double> exact;  // float64, its own error far below `error`
  std::vector<double> error;  // of either float32 computation, together
  std::int32_t zero_point = 0;
};

// Nothing for steps that give no such freedom: tables, moves, quantize.
//
// u = 2^-24 is float32's rounding. A sum of n products of dequantized numbers, in any order, and the division by the
// output scale are off by at most (n + 8) u * Sum |x| |w| (each operand, product and addition rounds once); the
// requantization f32(acc) * M by 4 u |t|. Additions and pools likewise, with the zero points that their orders fold in.
std::optional<FloatResult> real_result(const Program& program, const Step& step, const NamedTensors& inputs,
                                       const Parallel& parallel);

// The same numbers behind a step that only moves elements of one value, `from` its shape; nothing for other steps.
std::optional<FloatResult> moved_result(const Program& program, const Step& step, const Shape& from,
                                        const FloatResult& real, const Parallel& parallel);

// Whether `found` in place of `expected` is within float error of the tie between them.
bool is_near_tie(const FloatResult& real, std::int64_t element, std::int64_t expected, std::int64_t found);

}  // namespace octet
