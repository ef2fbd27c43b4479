// input_shape.h: whether an array can be an input, told before its elements are read.
#pragma once

#include <string_view>

#include "octet/graph/model.h"

namespace octet {

// Throws kUsage, "input x is uint8[1,9], and the model wants float32[N,3]", unless rank and known dimensions are those
// of `type`.
void check_input_shape(std::string_view input, const ValueType& type, DType dtype, const Shape& shape);

// Ends in that text, and why.
[[noreturn]] void refuse_input(std::string_view input, const ValueType& type, DType dtype, const Shape& shape,
                               std::string_view why = {});

}  // namespace octet
