#include "octet/base/minifloat.h"

#include <array>
#include <cmath>
#include <limits>

#include "octet/base/nearest_code.h"
#include "octet/base/visit.h"

namespace octet {
namespace {

struct MinifloatFormat {
  int mantissa_bits, bias;
  int sign;                    // the bit
  int largest;                 // code of the largest number
  int infinity;                // code, or 0 where there is none
  int nan;                     // code, or 0 where there is none
  bool unsigned_zero = false;  // and one NaN, in the place of -0
};

constexpr MinifloatFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN: return {3, 7, 0x80, 0x7E, 0, 0x7F};
    case DType::kFloat8E4M3FNUZ: return {3, 8, 0x80, 0x7F, 0, 0x80, true};
    case DType::kFloat8E5M2: return {2, 15, 0x80, 0x7B, 0x7C, 0x7E};
    case DType::kFloat8E5M2FNUZ: return {2, 16, 0x80, 0x7F, 0, 0x80, true};
    case DType::kFloat4E2M1: return {1, 1, 0x08, 0x07, 0, 0};
    default: throw_unsupported_type(dtype);
  }
}

constexpr int kPowerBias = 127, kPowerNan = 0xFF, kLargestPower = 0xFE;

float magnitude_of(int code, const MinifloatFormat& format) {
  const int mantissa = code & ((1 << format.mantissa_bits) - 1), exponent = code >> format.mantissa_bits;
  const int leading = exponent == 0 ? 0 : 1 << format.mantissa_bits;
  return std::ldexp(static_cast<float>(leading + mantissa), std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

float value_of(int code, const MinifloatFormat& format) {
  const bool negative = (code & format.sign) != 0;
  const int rest = code & (format.sign - 1);
  float magnitude = magnitude_of(rest, format);
  if (format.unsigned_zero && code == format.nan) return std::numeric_limits<float>::quiet_NaN();
  if (rest > format.largest) magnitude = std::numeric_limits<float>::quiet_NaN();
  if (format.infinity != 0 && rest == format.infinity) magnitude = std::numeric_limits<float>::infinity();
  return negative ? -magnitude : magnitude;
}

float power_of(int code) {
  return code == kPowerNan ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, code - kPowerBias);
}

std::array<float, 256> all_values(DType dtype) {
  std::array<float, 256> values{};
  for (int code = 0; code < 1 << bits(dtype); ++code)
    values[static_cast<std::size_t>(code)] =
        dtype == DType::kFloat8E8M0 ? power_of(code) : value_of(code, format_of(dtype));
  return values;
}

int power_code(double value, const MinifloatRounding& rounding) {
  if (std::isnan(value)) return kPowerNan;
  if (value < std::ldexp(1.0, -kPowerBias)) return rounding.saturate ? 0 : kPowerNan;
  if (value > std::ldexp(1.0, kPowerBias)) return rounding.saturate ? kLargestPower : kPowerNan;
  int exponent = std::ilogb(value);
  const double fraction = std::ldexp(value, -exponent);
  if (rounding.powers == PowerRounding::kUp && fraction > 1) ++exponent;
  if (rounding.powers == PowerRounding::kNearest && fraction >= 1.5) ++exponent;
  return exponent + kPowerBias;
}

int nan_code(bool negative, const MinifloatFormat& format) {
  if (format.nan == 0) return negative ? 0 : format.sign;
  return format.unsigned_zero || !negative ? format.nan : format.nan | format.sign;
}

int overflow_code(bool negative, const MinifloatFormat& format, bool saturate) {
  const int sign = negative ? format.sign : 0;
  if (saturate || format.nan == 0) return format.largest | sign;
  return format.infinity != 0 ? format.infinity | sign : nan_code(negative, format);
}

int signed_code(double value, const MinifloatFormat& format, bool saturate) {
  const bool negative = std::signbit(value);
  if (std::isnan(value)) return nan_code(negative, format);
  if (std::isinf(value)) return overflow_code(negative, format, saturate);
  const double code = value == 0 ? 0 : nearest_code(std::fabs(value), format.bias, format.mantissa_bits);
  if (code > format.largest) return overflow_code(negative, format, saturate);
  const int rest = static_cast<int>(code);
  return negative && !(format.unsigned_zero && rest == 0) ? rest | format.sign : rest;
}

}  // namespace

std::span<const float> minifloat_values(DType dtype) {
  static const std::array<float, 256> e4m3fn = all_values(DType::kFloat8E4M3FN);
  static const std::array<float, 256> e4m3fnuz = all_values(DType::kFloat8E4M3FNUZ);
  static const std::array<float, 256> e5m2 = all_values(DType::kFloat8E5M2);
  static const std::array<float, 256> e5m2fnuz = all_values(DType::kFloat8E5M2FNUZ);
  static const std::array<float, 256> e2m1 = all_values(DType::kFloat4E2M1);
  static const std::array<float, 256> e8m0 = all_values(DType::kFloat8E8M0);
  switch (dtype) {
    case DType::kFloat8E4M3FN: return e4m3fn;
    case DType::kFloat8E4M3FNUZ: return e4m3fnuz;
    case DType::kFloat8E5M2: return e5m2;
    case DType::kFloat8E5M2FNUZ: return e5m2fnuz;
    case DType::kFloat4E2M1: return std::span(e2m1).first(16);
    case DType::kFloat8E8M0: return e8m0;
    default: throw_unsupported_type(dtype);
  }
}

std::uint8_t minifloat_code(double value, DType dtype, const MinifloatRounding& rounding) {
  if (dtype == DType::kFloat8E8M0) return static_cast<std::uint8_t>(power_code(value, rounding));
  return static_cast<std::uint8_t>(signed_code(value, format_of(dtype), rounding.saturate));
}

}  // namespace octet
