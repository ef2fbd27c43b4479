// sum_kernel.h: convolutions and products by constant weights, tile by tile.
#pragma once

#include "octet/engine/fast/epilogue.h"
#include "octet/engine/fast/packed_weights.h"
#include "octet/engine/fast/weight_store.h"

namespace octet::fast {

// What a convolution and a matrix product have in common.
struct SumTask {
  Geometry geometry;
  const work::Sum& sum;
  const std::vector<work::Stage>& epilogue;
  ValueId x = kNoValue, y = kNoValue;
  Layout x_layout = Layout::kChannelsLast;  // rows of a matrix are pixels, channels last
  ValueId x_zero_point = kNoValue;          // where it is computed at run time
  bool quantizes_x = false;                 // x is float, and quantized as DynamicQuantizeLinear does
};

// x as the sums see it.
Operand input_of(const SumTask& task, const KernelContext& context);

// The zero point of x: known beforehand, or a value of the program.
class InputZeroPoint {
 public:
  InputZeroPoint(ValueId value, std::int32_t constant) : value_(value), constant_(constant) {}
  std::int32_t zero_point(DType type, const ValuePointers& places) const;

 private:
  ValueId value_;
  std::int32_t constant_;
};

// For any geometry.
KernelPtr make_sum_kernel(const SumTask& task, const KernelContext& context);
// Winograd kernel of a 3x3 convolution (simd/transforms.h), if that is exact and worthwhile; else null.
KernelPtr make_transformed_kernel(const SumTask& task, const KernelContext& context);
// For a depthwise convolution with one output channel per group.
KernelPtr make_depthwise_kernel(const SumTask& task, const KernelContext& context);

}  // namespace octet::fast
