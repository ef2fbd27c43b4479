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

// The operator of ai.onnx of this name, or else that of com.microsoft, for names that come without a domain. Null when
// neither is known.
const Operator* find_operator_named(std::string_view name);

}  // namespace octet
