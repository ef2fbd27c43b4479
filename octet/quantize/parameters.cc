#include "octet/quantize/parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/spec/rounding.h"

namespace octet {

Range widened(const Range& a, const Range& b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

bool is_finite(const Range& range) { return std::isfinite(range.min) && std::isfinite(range.max); }

IntegerRange used_integers(const Encoding& encoding) {
  IntegerRange range = integer_range(encoding.dtype);
  const bool is_signed = range.min < 0;
  if (encoding.reduced) {
    const std::int64_t half = (range.max - range.min + 1) / 4;
    return is_signed ? IntegerRange{-half, half} : IntegerRange{0, 2 * half - 1};
  }
  if (encoding.symmetric && is_signed) range.min = -range.max;
  return range;
}

double in_form(double scale, ScaleForm form) {
  if (form == ScaleForm::kReal) return scale;
  int exponent;
  const double fraction = std::frexp(scale, &exponent);  // scale = fraction * 2^exponent, fraction in [0.5, 1)
  return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

ScaleAndZeroPoint choose(const Range& range, const Encoding& encoding) {
  const auto [qmin, qmax] = used_integers(encoding);
  double low = std::min(range.min, 0.0F), high = std::max(range.max, 0.0F);
  const bool is_signed = integer_range(encoding.dtype).min < 0;
  const bool at_minimum = encoding.zero_point_form == ZeroPointForm::kRestricted && !is_signed && low == 0;
  const bool in_the_middle =
      encoding.symmetric || (encoding.zero_point_form == ZeroPointForm::kRestricted && !at_minimum);
  const std::int64_t middle = round_ties_even(static_cast<double>(qmin + qmax) / 2.0);

  if (encoding.symmetric) {
    high = std::max(high, -low);
    low = -high;
  }
  double scale = in_the_middle && !encoding.symmetric
                     ? std::max(high / static_cast<double>(qmax - middle), -low / static_cast<double>(middle - qmin))
                     : (high - low) / static_cast<double>(qmax - qmin);
  if (scale < static_cast<double>(std::numeric_limits<float>::min())) return {1.0F, 0};
  scale = in_form(scale, encoding.scale_form);
  const std::int64_t zero_point = in_the_middle ? middle
                                  : at_minimum  ? qmin
                                                : round_ties_even(static_cast<double>(qmin) - low / scale);
  return {static_cast<float>(scale), static_cast<std::int32_t>(std::clamp(zero_point, qmin, qmax))};
}

}  // namespace octet
