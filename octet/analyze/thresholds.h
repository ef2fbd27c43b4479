// thresholds.h: QuantizeLinear as comparisons, for hardware without a divider.
#pragma once

#include <vector>

#include "octet/spec/quantized/parameters.h"

namespace octet {

// Where the steps of y = saturate(round(x / scale) + zero_point) begin: y is range.min and one more for each threshold
// that x is not below; NaN, which no comparison holds for, gets range.min. Ascending, one for each y above range.min.
// The scale is positive and finite.
std::vector<float> quantize_thresholds(const Quantization& y, IntegerRange range);

}  // namespace octet
