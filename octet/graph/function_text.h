// function_text.h: functions written as text, in a part of ONNX's own textual syntax:
//
//   Swish <alpha: float = 1> (X) => (Y) {
//      Alpha = Constant <value_float: float = @alpha> ()
//      AlphaX = Mul (Alpha, X)
//      Gate = Sigmoid (AlphaX)
//      Y = Mul (X, Gate)
//   }
//
// Parameters and attributes have a type (int, float, string, ints, floats); `@name` is the value of a parameter, "" an
// absent input. `when name:` before a node leaves it out unless that input is given or that parameter has a value
// other than 0; `unless name:` leaves it out if so.
#pragma once

#include <string_view>

#include "octet/graph/model.h"

namespace octet {

// The function as `call` sees it. Throws kFormat, quoting what was found, when the text is anything else.
Function parse_function(std::string_view text, const Node& call);

}  // namespace octet
