// rounding_named.h: rounding rules by their names.
#pragma once

#include <span>
#include <string_view>

#include "octet/spec/rounding.h"

namespace octet {

// "ties-even", "ties-away", "ties-up", "toward-zero", "floor".
std::span<const std::string_view> rounding_names();
std::string_view name(Rounding rounding);
// Throws kUsage for another name, listing these.
Rounding rounding_named(std::string_view name);

}  // namespace octet
