// saturated.h: from a real number to an element type.
#pragma once

#include <limits>
#include <type_traits>

namespace octet {

// Rounded to floating point; for integers truncated toward zero and saturated, NaN as 0; for bool, whether it is not 0.
template <typename T>
T saturated(double value) {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, bool>) {
    return static_cast<T>(value);
  } else {
    // A 64-bit maximum rounds up to a power of two in float64, which is already too large.
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
    return value == value ? static_cast<T>(value) : T(0);
  }
}

}  // namespace octet
