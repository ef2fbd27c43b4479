// json_finite.h: numbers for those who read JSON as numbers alone.
#pragma once

#include <cmath>

#include "octet/text/json.h"

namespace octet {

// As json_number, but null where it is not finite. The schema says what that means.
inline Json json_finite(double value) { return std::isfinite(value) ? json_number(value) : Json(); }

}  // namespace octet
