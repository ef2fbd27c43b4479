// value_type.h: the types of values, out of and into the format's messages.
#pragma once

#include "octet/graph/model.h"

namespace octet {

namespace format {
class TypeProto;
}

// Takes a type out of `message`, which is spent afterwards. Tensors of an element type that Octet knows are
// interpreted; everything else is kept as bytes. A dimension of -1 is unknown, as other readers have it; throws kFormat
// for other negative ones.
ValueType read_type(format::TypeProto& message);

void write_type(const ValueType& type, format::TypeProto& message);

}  // namespace octet
