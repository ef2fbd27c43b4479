// rounding_named.h: rounding rules by their names.
#pragma once

#include <string_view>

#include "octet/spec/rounding.h"

namespace octet {

// "ties-even", "ties-away", "ties-up", "toward-zero", "floor". Throws kUsage for another name, listing these.
Rounding rounding_named(std::string_view name);

}  // namespace octet
