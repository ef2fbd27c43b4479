#include "octet/spec/requantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "octet/spec/random.h"

namespace octet {

float stored_multiplier(float multiplier, MultiplierForm form) {
  switch (form) {
    case MultiplierForm::kFloat32: break;
    case MultiplierForm::kFloat16: return to_float(to_float16(multiplier));
    case MultiplierForm::kBfloat16: return to_float(to_bfloat16(multiplier));
    case MultiplierForm::kPowerOfTwo: {
      if (!std::isfinite(multiplier) || multiplier == 0) break;
      int exponent;
      const double fraction = std::frexp(double{multiplier}, &exponent);  // magnitude in [0.5, 1)
      const bool up = std::abs(fraction) >= 1 / std::numbers::sqrt2;
      return std::copysign(std::ldexp(1.0F, up ? exponent : exponent - 1), multiplier);
    }
  }
  return multiplier;
}

FixedMultiplier fixed_multiplier(double multiplier, int bits) {
  if (!std::isfinite(multiplier) || multiplier == 0) return {0, 0};
  int exponent;
  const double fraction = std::frexp(multiplier, &exponent);  // magnitude in [0.5, 1)
  std::int64_t m = std::llround(std::ldexp(fraction, bits));
  if (std::abs(m) == std::int64_t{1} << bits) {
    m /= 2;
    ++exponent;
  }
  return {m, bits - exponent};
}

namespace {

constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

// A shift of 64 leaves less than a quarter of any int32 * int32, and so does every larger one.
constexpr int kLargestShift = 64;

std::int64_t single_product(std::int32_t value, const FixedMultiplier& by, std::int32_t added, Rounding rounding) {
  const __int128 product = static_cast<__int128>(value) * by.m;
  if (by.shift >= 0) {
    const int shift = std::min(by.shift, kLargestShift);
    return shift_right(rounding, product + (static_cast<__int128>(added) << shift), shift);
  }
  const __int128 limit = std::numeric_limits<std::int64_t>::max() / 2;  // far outside any output, and added still fits
  const __int128 shifted = product * (static_cast<__int128>(1) << std::min(-by.shift, 62));
  return static_cast<std::int64_t>(std::clamp(shifted, -limit, limit)) + added;
}

std::int64_t double_product(std::int32_t value, const FixedMultiplier& by, std::int32_t added) {
  // Any value but 0 saturates at a left shift of 31.
  const int left = std::clamp(31 - by.shift, 0, 31);
  const int right = std::clamp(by.shift - 31, 0, kLargestShift);
  const std::int64_t shifted = std::clamp(value * (std::int64_t{1} << left), kMinInt32, kMaxInt32);
  const std::int64_t high = shift_right(Rounding::kTiesUp, static_cast<__int128>(shifted) * by.m, 31);
  return shift_right(Rounding::kTiesAway, high + (static_cast<__int128>(added) << right), right);
}

}  // namespace

std::int64_t fixed_product(std::int32_t value, const FixedMultiplier& by, std::int32_t added,
                           const Arithmetic& arithmetic) {
  if (arithmetic.product == Product::kFixedSingle) return single_product(value, by, added, arithmetic.rounding);
  const int widen = 31 - arithmetic.multiplier_bits;
  return double_product(value, {by.m * (std::int64_t{1} << widen), by.shift + widen}, added);
}

Requantizer::Requantizer(const Arithmetic& arithmetic, float multiplier, const QuantizedOutput& output)
    : arithmetic_(arithmetic),
      multiplier_(stored_multiplier(multiplier, arithmetic.multiplier_form)),
      output_(resolve(output, arithmetic)),
      plain_(arithmetic.product == Product::kFloat32 && arithmetic.rounding == Rounding::kTiesEven &&
             !arithmetic.stochastic && !output_.converts_first),
      quantizer_(output_) {
  if (arithmetic.product == Product::kFixedSingle || arithmetic.product == Product::kFixedDouble)
    fixed_ = fixed_multiplier(multiplier_, arithmetic.multiplier_bits);
}

std::int32_t Requantizer::general(std::int32_t accumulator, std::int64_t element) const {
  if (arithmetic_.stochastic) {
    const bool fixed = arithmetic_.product == Product::kFixedSingle || arithmetic_.product == Product::kFixedDouble;
    const double multiplier = fixed ? std::ldexp(static_cast<double>(fixed_.m), -fixed_.shift) : double{multiplier_};
    const double u = uniform(mix({arithmetic_.seed, std::bit_cast<std::uint32_t>(multiplier_),
                                  static_cast<std::uint64_t>(element), static_cast<std::uint64_t>(accumulator)}));
    return quantize_real(accumulator * multiplier + u, output_, Rounding::kFloor);
  }
  if (arithmetic_.product == Product::kFloat32)
    return quantize_real(static_cast<float>(accumulator) * multiplier_, output_, arithmetic_.rounding);
  if (arithmetic_.product == Product::kFloat64)
    return quantize_real(double{multiplier_} * accumulator, output_, arithmetic_.rounding);
  const bool before = output_.place == ZeroPoint::kBeforeRounding;
  const std::int64_t t = fixed_product(accumulator, fixed_, before ? output_.zero_point : 0, arithmetic_);
  return static_cast<std::int32_t>(
      std::clamp(t + (before ? 0 : output_.zero_point), output_.range.min, output_.range.max));
}

}  // namespace octet
