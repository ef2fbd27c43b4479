// wrapping.h: sums, differences and products that wrap around in integers and round in floating point.
//
// Integers are computed modulo 2^bits, as two's complement hardware does; C++ leaves signed overflow undefined, and
// uint16_t * uint16_t, which is an int, as well.
#pragma once

#include <type_traits>

namespace octet {

template <typename T, typename F>
constexpr T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(f(static_cast<Wide>(a), static_cast<Wide>(b)));
  } else {
    return f(a, b);
  }
}

template <typename T>
constexpr T wrapping_add(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x + y; });
}

template <typename T>
constexpr T wrapping_subtract(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x - y; });
}

template <typename T>
constexpr T wrapping_multiply(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

}  // namespace octet
