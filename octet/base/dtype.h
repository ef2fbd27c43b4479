// dtype.h: element types, numbered as in the ONNX format, and their C++ storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace octet {

enum class DType : int {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};
inline constexpr int kDTypeCount = 27;

// "float32", "int8", "uint4", "bfloat16", ...; "undefined" for kUndefined.
std::string_view name(DType dtype);

// The width in bits as a file stores it: 4 for int4, 8 for bool, 0 for string and undefined.
int bits(DType dtype);

// The bytes one element takes in memory. Types narrower than a byte are held one element to a byte, sign-extended
// where signed, so that kernels index them like any other; they are packed only in files. 0 for string.
std::size_t size_of(DType dtype);

// float32, float64, float16 and bfloat16: the floating-point types Octet computes with.
constexpr bool is_float(DType d) {
  return d == DType::kFloat || d == DType::kDouble || d == DType::kFloat16 || d == DType::kBFloat16;
}
constexpr bool is_half(DType d) { return d == DType::kFloat16 || d == DType::kBFloat16; }
// Signed and unsigned integers of 2 to 64 bits; not bool.
bool is_integer(DType dtype);
bool is_signed_integer(DType dtype);
// The float8 and float4 types (minifloat.h).
bool is_minifloat(DType dtype);

// The smallest and largest value of an integer type. uint64's maximum is reported as INT64_MAX.
struct IntegerRange {
  std::int64_t min, max;
};
IntegerRange integer_range(DType dtype);

// IEEE binary16, held as its bits.
struct Float16 {
  std::uint16_t bits;
  bool operator==(const Float16&) const = default;
};
// The upper half of a float32, held as its bits.
struct BFloat16 {
  std::uint16_t bits;
  bool operator==(const BFloat16&) const = default;
};

// Conversions round to nearest, ties to even; overflow gives infinity; NaN stays NaN.
float to_float(Float16 value);
float to_float(BFloat16 value);
Float16 to_float16(float value);
Float16 to_float16(double value);  // one rounding, not two through float32
BFloat16 to_bfloat16(float value);
BFloat16 to_bfloat16(double value);

// Whether elements of `dtype` are stored as T. Sub-byte and minifloat types are stored as (u)int8_t.
template <typename T>
constexpr bool stored_as(DType dtype) {
  using enum DType;
  switch (dtype) {
    case kFloat: return std::is_same_v<T, float>;
    case kDouble: return std::is_same_v<T, double>;
    case kFloat16: return std::is_same_v<T, Float16>;
    case kBFloat16: return std::is_same_v<T, BFloat16>;
    case kInt8:
    case kInt4:
    case kInt2: return std::is_same_v<T, std::int8_t>;
    case kUint8:
    case kUint4:
    case kUint2:
    case kFloat8E4M3FN:
    case kFloat8E4M3FNUZ:
    case kFloat8E5M2:
    case kFloat8E5M2FNUZ:
    case kFloat4E2M1:
    case kFloat8E8M0: return std::is_same_v<T, std::uint8_t>;
    case kInt16: return std::is_same_v<T, std::int16_t>;
    case kUint16: return std::is_same_v<T, std::uint16_t>;
    case kInt32: return std::is_same_v<T, std::int32_t>;
    case kUint32: return std::is_same_v<T, std::uint32_t>;
    case kInt64: return std::is_same_v<T, std::int64_t>;
    case kUint64: return std::is_same_v<T, std::uint64_t>;
    case kBool: return std::is_same_v<T, bool>;
    default: return false;
  }
}

// The DType whose natural storage is T.
template <typename T>
constexpr DType dtype_of() {
  using enum DType;
  if constexpr (std::is_same_v<T, float>)
    return kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return kDouble;
  else if constexpr (std::is_same_v<T, Float16>)
    return kFloat16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return kBFloat16;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return kInt8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return kUint8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return kInt16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return kUint16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return kInt32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return kUint32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return kInt64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return kUint64;
  else if constexpr (std::is_same_v<T, bool>)
    return kBool;
  else
    return kUndefined;
}

}  // namespace octet
