#include "octet/program/support/float_limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max() / 2;  // half: sums of many terms round, too
constexpr float kSmallest = std::numeric_limits<float>::min();      // of all digits
constexpr double kTerms = 0x1p32, kLargestByte = 255;
constexpr double kInt32 = 0x1p31 - 0x1p16;  // room for a zero point, and for rounding

// The largest |(q - z) * scale|.
double reach(const Operand& operand) {
  const auto [qmin, qmax] = integer_range(operand.dtype);
  double result = 0;
  for (std::size_t k = 0; k < operand.scales.size(); ++k)
    for (const std::int64_t q : {qmin, qmax})
      result = std::max(result, std::abs(static_cast<double>(q - operand.zero_points[k]) * operand.scales[k]));
  return result;
}

void require_at_most(double value, double limit, std::string_view what) {
  if (!(value <= limit)) throw NotFused{fmt::format("{} up to {:.3g}: the float form may overflow", what, value)};
}

void require_digits(float value, std::string_view what) {
  if (value < kSmallest)
    throw NotFused{fmt::format("{} {} is too small for float32 to hold with all digits", what, value)};
}

// Checks the input of the conversion in kernels that convert before they saturate.
void require_int32(double value, const Quantization& y) {
  const double quotient = value / y.scale;
  if (!(quotient <= kInt32))
    throw NotFused{
        fmt::format("in units of y_scale {} the result reaches {:.3g}, more than int32 holds", y.scale, quotient)};
}

}  // namespace

std::optional<std::string> overflow(const Operand& operand) {
  const auto [qmin, qmax] = integer_range(operand.dtype);
  for (std::size_t k = 0; k < operand.scales.size(); ++k)
    for (const std::int64_t q : {qmin, qmax})
      if (!std::isfinite(static_cast<float>(q - operand.zero_points[k]) * operand.scales[k]))
        return fmt::format("DequantizeLinear of {} overflows: ({} - {}) * {} is infinite in float32", operand.integers,
                           q, operand.zero_points[k], operand.scales[k]);
  return std::nullopt;
}

void require_finite(const Operand& operand) {
  if (const std::optional<std::string> why = overflow(operand)) throw NotFused{*why};
}

void require_sums(const SumUnit& unit, const Quantization* y) {
  const float plain = unit.a * unit.b, scaled = unit.alpha * unit.a * unit.b;
  for (const float product : {plain, scaled})
    require_at_most(std::abs(product) * kTerms * kLargestByte * kLargestByte, kLargest,
                    fmt::format("sums in units of {} (the product of the scales) go", product));
  if (y && !std::isfinite(scaled / y->scale))
    throw NotFused{fmt::format("the multiplier {} / {} is infinite in float32", scaled, y->scale)};
  const float least = std::min({plain, std::abs(unit.alpha * unit.a), std::abs(scaled)});
  const bool vanishes = y && unit.alpha == 1 && kTerms * kLargestByte * kLargestByte * kSmallest / y->scale < 0.25;
  if (!vanishes) require_digits(least, "the product of the scales");
  if (y) require_digits(y->scale, "y_scale");
}

void require_addition(const Operand& a, const Operand& b, const Quantization& y) {
  const double largest = reach(a) + reach(b);
  require_at_most(largest, kLargest, "sums go");
  require_digits(y.scale, "y_scale");
  require_int32(largest, y);
}

void require_multiplication(const Operand& a, const Operand& b, const Quantization& y) {
  require_sums({a.scales[0], b.scales[0]}, &y);
  require_int32(reach(a) * reach(b), y);
}

void require_average(const Operand& x, const Quantization& y) {
  require_at_most(reach(x) * kTerms, kLargest, "sums go");
  require_at_most(y.scale * kTerms, kLargest, "y_scale * elements goes");
  require_digits(y.scale, "y_scale");
  const float ratio = x.scales[0] / y.scale;
  if (!(ratio >= 0x1p-12F && ratio < 256))
    throw NotFused{fmt::format("x_scale / y_scale is {}, and ONNX Runtime averages from 2^-12 to 256 only", ratio)};
}

}  // namespace octet
