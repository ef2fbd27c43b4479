// step_sums.h: the accumulators of a step, as exact numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "octet/engine/engine.h"

namespace octet {

// One element for each element of the step's result, in float64, where sums of products of 8-bit numbers are exact.
struct StepSums {
  Tensor sums;                // bias + Sum (x - x_zero_point) * (w - w_zero_point), without wrapping
  Tensor magnitudes;          // |bias| + Sum |x - x_zero_point| * |w - w_zero_point|
  std::int64_t products = 0;  // in one sum
  std::int64_t channels = 0;  // element k belongs to output channel k / inner % channels
  std::int64_t inner = 1;

  std::int64_t channel_of(std::int64_t element) const { return element / inner % channels; }
};

// The sums of a step whose first operation is QLinearConv, QLinearMatMul, QGemm, ConvInteger, MatMulInteger or
// MatMulIntegerToFloat; nothing for others. `inputs` holds what the step reads.
std::optional<StepSums> step_sums(const Program& program, const Step& step, const NamedTensors& inputs,
                                  const Parallel& parallel);

}  // namespace octet
