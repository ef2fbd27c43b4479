// values_from_json.h: types, shapes and numbers as Octet's JSON has them, read back.
#pragma once

#include <optional>

#include "octet/base/dim.h"
#include "octet/base/dtype.h"
#include "octet/text/json.h"

namespace octet {

// Null is a type that is not known. Throws kFormat for what is no type.
DType type_from_json(const Json& json);

// Null is an unknown rank; in a list, null an unknown dimension and a text a symbol.
std::optional<SymbolicShape> shape_from_json(const Json& json);

// The way back from json_number.
double number_from_json(const Json& json);

}  // namespace octet
