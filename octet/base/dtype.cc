#include "octet/base/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "octet/base/nearest_code.h"

namespace octet {
namespace {

enum class Kind { kOther, kSigned, kUnsigned, kFloat, kMinifloat };

struct Traits {
  std::string_view name;
  int bits;
  Kind kind;
};

constexpr std::array<Traits, kDTypeCount> kTraits = {{
    {"undefined", 0, Kind::kOther},
    {"float32", 32, Kind::kFloat},
    {"uint8", 8, Kind::kUnsigned},
    {"int8", 8, Kind::kSigned},
    {"uint16", 16, Kind::kUnsigned},
    {"int16", 16, Kind::kSigned},
    {"int32", 32, Kind::kSigned},
    {"int64", 64, Kind::kSigned},
    {"string", 0, Kind::kOther},
    {"bool", 8, Kind::kOther},
    {"float16", 16, Kind::kFloat},
    {"float64", 64, Kind::kFloat},
    {"uint32", 32, Kind::kUnsigned},
    {"uint64", 64, Kind::kUnsigned},
    {"complex64", 64, Kind::kOther},
    {"complex128", 128, Kind::kOther},
    {"bfloat16", 16, Kind::kFloat},
    {"float8e4m3fn", 8, Kind::kMinifloat},
    {"float8e4m3fnuz", 8, Kind::kMinifloat},
    {"float8e5m2", 8, Kind::kMinifloat},
    {"float8e5m2fnuz", 8, Kind::kMinifloat},
    {"uint4", 4, Kind::kUnsigned},
    {"int4", 4, Kind::kSigned},
    {"float4e2m1", 4, Kind::kMinifloat},
    {"float8e8m0", 8, Kind::kMinifloat},
    {"uint2", 2, Kind::kUnsigned},
    {"int2", 2, Kind::kSigned},
}};

constexpr const Traits& traits(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  return kTraits[index < kTraits.size() ? index : 0];
}

// The encoding of `value` in an IEEE-like format, rounded to nearest, ties to even.
std::uint16_t encode_float(double value, int exponent_bits, int mantissa_bits) {
  const auto raw = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(raw >> 63 << 15);
  const int max_exponent = (1 << exponent_bits) - 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(max_exponent << mantissa_bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1 << (mantissa_bits - 1)));
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const double code = nearest_code(std::fabs(value), bias, mantissa_bits);
  return code >= infinity ? static_cast<std::uint16_t>(sign | infinity)
                          : static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(code));
}

}  // namespace

std::string_view name(DType dtype) { return traits(dtype).name; }
int bits(DType dtype) { return traits(dtype).bits; }
std::size_t size_of(DType dtype) { return static_cast<std::size_t>((bits(dtype) + 7) / 8); }
bool is_integer(DType dtype) { return traits(dtype).kind == Kind::kSigned || traits(dtype).kind == Kind::kUnsigned; }
bool is_signed_integer(DType dtype) { return traits(dtype).kind == Kind::kSigned; }
bool is_minifloat(DType dtype) { return traits(dtype).kind == Kind::kMinifloat; }

IntegerRange integer_range(DType dtype) {
  const int width = bits(dtype);
  if (is_signed_integer(dtype)) {
    const std::int64_t max = std::numeric_limits<std::int64_t>::max() >> (64 - width);
    return {-max - 1, max};
  }
  if (width == 64) return {0, std::numeric_limits<std::int64_t>::max()};
  return {0, (std::int64_t{1} << width) - 1};
}

float to_float(BFloat16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }

float to_float(Float16 value) {
  const bool negative = (value.bits & 0x8000) != 0;
  const int exponent = (value.bits >> 10) & 31;
  const int mantissa = value.bits & 1023;
  float magnitude;
  if (exponent == 31) {
    magnitude = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  }
  return negative ? -magnitude : magnitude;
}

Float16 to_float16(double value) { return {encode_float(value, 5, 10)}; }
Float16 to_float16(float value) { return to_float16(static_cast<double>(value)); }
BFloat16 to_bfloat16(double value) { return {encode_float(value, 8, 7)}; }
BFloat16 to_bfloat16(float value) { return to_bfloat16(static_cast<double>(value)); }

}  // namespace octet
