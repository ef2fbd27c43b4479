// visit.h: from a DType at run time to a C++ type at compile time.
//
//   visit_numeric(t.dtype(), [&]<typename T>() { ... t.as<T>() ... });
#pragma once

#include <string>

#include "octet/base/dtype.h"
#include "octet/base/error.h"

namespace octet {

[[noreturn]] inline void throw_unsupported_type(DType dtype) {
  throw Error(ErrorCode::kUnsupported, "element type " + std::string(name(dtype)) + " is not computed here");
}

// float and double.
template <typename F>
decltype(auto) visit_float(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat: return f.template operator()<float>();
    case DType::kDouble: return f.template operator()<double>();
    default: throw_unsupported_type(dtype);
  }
}

// The integer storage types; int4 and int2 come as int8_t, uint4 and uint2 as uint8_t.
template <typename F>
decltype(auto) visit_integer(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2: return f.template operator()<std::int8_t>();
    case DType::kUint8:
    case DType::kUint4:
    case DType::kUint2: return f.template operator()<std::uint8_t>();
    case DType::kInt16: return f.template operator()<std::int16_t>();
    case DType::kUint16: return f.template operator()<std::uint16_t>();
    case DType::kInt32: return f.template operator()<std::int32_t>();
    case DType::kUint32: return f.template operator()<std::uint32_t>();
    case DType::kInt64: return f.template operator()<std::int64_t>();
    case DType::kUint64: return f.template operator()<std::uint64_t>();
    default: throw_unsupported_type(dtype);
  }
}

// float, double and every integer storage type.
template <typename F>
decltype(auto) visit_numeric(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat: return f.template operator()<float>();
    case DType::kDouble: return f.template operator()<double>();
    default: return visit_integer(dtype, static_cast<F&&>(f));
  }
}

// int8_t and uint8_t: the quantized types (and what is stored like them).
template <typename F>
decltype(auto) visit_8bit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt8: return f.template operator()<std::int8_t>();
    case DType::kUint8: return f.template operator()<std::uint8_t>();
    default: throw_unsupported_type(dtype);
  }
}

// An unsigned integer as wide as the element: for operators that move elements and do not look at them.
template <typename F>
decltype(auto) visit_width(DType dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1: return f.template operator()<std::uint8_t>();
    case 2: return f.template operator()<std::uint16_t>();
    case 4: return f.template operator()<std::uint32_t>();
    case 8: return f.template operator()<std::uint64_t>();
    default: throw_unsupported_type(dtype);
  }
}

}  // namespace octet
