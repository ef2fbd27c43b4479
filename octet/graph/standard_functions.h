// standard_functions.h: operators that the standard defines as functions of others, and for which Octet has no kernel.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "octet/graph/model.h"

namespace octet {

struct StandardFunction {
  std::string_view name;
  int since;              // the opset that introduced this definition
  std::string_view text;  // see function_text.h
};

// Sorted by name, then version.
std::span<const StandardFunction> standard_functions();

// The function that gives a call its meaning in this version of the standard, if there is one. It may depend on which
// inputs and attributes the call gives.
std::optional<Function> standard_function(const Node& call, int opset);

}  // namespace octet
