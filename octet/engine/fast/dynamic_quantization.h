// dynamic_quantization.h: the scale and the zero point that DynamicQuantizeLinear finds, by several threads.
#pragma once

#include "octet/base/parallel.h"
#include "octet/engine/fast/simd/elements.h"

namespace octet::fast {

Quantization found_quantization(const float* x, std::int64_t count, const Elements& elements, const Parallel& parallel);

}  // namespace octet::fast
