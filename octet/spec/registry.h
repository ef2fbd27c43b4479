// registry.h: the operators Octet knows.
#pragma once

#include <span>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// Sorted by domain, then name.
std::span<const Operator* const> operators();

// Null when Octet does not know it. The domain of the standard is "".
const Operator* find_operator(std::string_view domain, std::string_view name);

}  // namespace octet
