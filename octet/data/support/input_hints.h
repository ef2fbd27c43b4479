// input_hints.h: arrays that are not what an input wants, and what would make them so.
#pragma once

#include <string>

#include "octet/base/shape.h"
#include "octet/graph/model.h"

namespace octet {

struct ArrayType {
  DType dtype;
  Shape shape;
};
std::string type_text(const ArrayType& array);   // "float32[32,32,3]"
std::string type_text(const ValueType& wanted);  // "float32[N,3,32,32]"

// The type is the same, and every known dimension; symbols stand for any number.
bool fits(const ArrayType& array, const ValueType& wanted);

// What NumPy makes an array that fits with, and in words: "array.transpose(2, 0, 1)[None]: channels first, a batch axis
// in front". Tried are another order of channels, a batch axis more or less, and another element type. Empty when
// none of that helps, or nothing is needed.
std::string how_to_fit(const ArrayType& array, const ValueType& wanted);

}  // namespace octet
