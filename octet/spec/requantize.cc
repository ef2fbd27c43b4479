#include "octet/spec/requantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet {

FixedMultiplier fixed_multiplier(float multiplier, int bits) {
  if (!(multiplier > 0) || std::isinf(multiplier)) return {0, 0};
  int exponent;
  const double fraction = std::frexp(static_cast<double>(multiplier), &exponent);  // [0.5, 1)
  std::int64_t m = std::llround(std::ldexp(fraction, bits));
  if (m == std::int64_t{1} << bits) {
    m /= 2;
    ++exponent;
  }
  return {m, bits - exponent};
}

Requantizer::Requantizer(const Arithmetic& arithmetic, float multiplier, const QuantizedOutput& output)
    : product_(arithmetic.product),
      rounding_(arithmetic.rounding),
      multiplier_(multiplier),
      output_(resolve(output, arithmetic)) {
  if (product_ == Product::kFixedSingle || product_ == Product::kFixedDouble)
    fixed_ = fixed_multiplier(multiplier, product_ == Product::kFixedDouble ? 31 : arithmetic.multiplier_bits);
}

namespace {

// gemmlowp's SaturatingRoundingDoublingHighMul: (2 * a * b + nudge) / 2^32 with truncation, ties upward in magnitude of
// the sum; only a == b == INT32_MIN saturates.
std::int32_t doubling_high_multiply(std::int32_t a, std::int32_t b) {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  if (a == kMin && b == kMin) return std::numeric_limits<std::int32_t>::max();
  const std::int64_t product = std::int64_t{a} * b;
  const std::int64_t nudge = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
  return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

}  // namespace

std::int32_t Requantizer::fixed_point(std::int32_t accumulator) const {
  const auto [qmin, qmax] = output_.range;
  std::int64_t result;
  std::int64_t zero_point = output_.zero_point;
  if (product_ == Product::kFixedDouble) {
    // TFLite's MultiplyByQuantizedMultiplier: a left shift of the input, the high multiply, a rounding right shift.
    // Any accumulator but 0 saturates at a left shift of 31.
    const int left = std::clamp(31 - fixed_.shift, 0, 31), right = std::clamp(fixed_.shift - 31, 0, 62);
    const auto shifted = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(accumulator) * (std::int64_t{1} << left),
                                 std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    const std::int32_t high = doubling_high_multiply(shifted, static_cast<std::int32_t>(fixed_.m));
    result = shift_right(Rounding::kTiesAway, high, right);
  } else {
    __int128 product = static_cast<__int128>(accumulator) * fixed_.m;
    int shift = fixed_.shift;
    if (shift < 0) {  // a multiplier of 2^bits and more
      product <<= std::min(-shift, 62);
      shift = 0;
    }
    shift = std::min(shift, 100);
    if (output_.place == ZeroPoint::kBeforeRounding) {
      product += static_cast<__int128>(zero_point) << shift;
      zero_point = 0;
    }
    const __int128 limit = (static_cast<__int128>(1) << 62) << shift;
    result = shift_right(rounding_, std::clamp(product, -limit, limit), shift);
  }
  return static_cast<std::int32_t>(std::clamp(result + zero_point, qmin, qmax));
}

}  // namespace octet
