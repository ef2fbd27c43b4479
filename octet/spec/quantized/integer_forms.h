// integer_forms.h: the other operators that requantize one integer, as integers alone (integer_requantizer.h).
#pragma once

#include <cstdint>

#include "octet/spec/integer_requantizer.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

// QLinearGlobalAveragePool: y of the sum of `pixels` numbers x - x_zero_point.
Interval average_reach(const Quantization& x, std::int64_t pixels, const IntegerRange& range);
IntegerRequantizer integer_average(const Quantization& x, const Quantization& y, std::int64_t pixels,
                                   const IntegerRange& range);

// QLinearMul: y of the product (a - a_zero_point) * (b - b_zero_point).
Interval product_reach(const Quantization& a, const Quantization& b, const IntegerRange& range);
IntegerRequantizer integer_multiplication(const Quantization& a, const Quantization& b, const Quantization& y,
                                          const IntegerRange& range);

}  // namespace octet
