#include "octet/spec/quantized/integer_forms.h"

#include <algorithm>

#include "octet/spec/quantized/qlinear_global_average_pool.h"
#include "octet/spec/quantized/qlinear_mul.h"

namespace octet {

Interval average_reach(const Quantization& x, std::int64_t pixels, const IntegerRange& range) {
  pixels = std::min(pixels, kMostSummed);
  return wrapped_to_int32({pixels * (range.min - x.zero_point), pixels * (range.max - x.zero_point)});
}

IntegerRequantizer integer_average(const Quantization& x, const Quantization& y, std::int64_t pixels,
                                   const IntegerRange& range) {
  const Requantization rule{average_multiplier(x.scale, y.scale, pixels), y.zero_point, range};
  return integer_requantizer(staircase(rule, average_reach(x, pixels, range)), range);
}

Interval product_reach(const Quantization& a, const Quantization& b, const IntegerRange& range) {
  return product_of({range.min - a.zero_point, range.max - a.zero_point},
                    {range.min - b.zero_point, range.max - b.zero_point});
}

IntegerRequantizer integer_multiplication(const Quantization& a, const Quantization& b, const Quantization& y,
                                          const IntegerRange& range) {
  // Without zero points, the product of x and 1 is x.
  const QuantizedBinary multiply = qlinear_mul({a.scale, 0}, {b.scale, 0}, y, range, {});
  const auto of_product = [&](std::int64_t product) { return multiply(static_cast<std::int32_t>(product), 1); };
  return integer_requantizer(every_step(product_reach(a, b, range), of_product), range);
}

}  // namespace octet
