#include "octet/graph/input_shape.h"

#include "octet/base/fail.h"

namespace octet {

void refuse_input(std::string_view input, const ValueType& type, DType dtype, const Shape& shape,
                  std::string_view why) {
  fail(ErrorCode::kUsage, "input {} is {}{}, and the model wants {}{}{}", input, name(dtype), to_string(shape),
       name(type.dtype), type.shape ? to_string(*type.shape) : " of any shape", why);
}

void check_input_shape(std::string_view input, const ValueType& type, DType dtype, const Shape& shape) {
  if (!type.shape) return;
  if (type.shape->size() != shape.size()) refuse_input(input, type, dtype, shape);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (surely_different((*type.shape)[i], shape[i])) refuse_input(input, type, dtype, shape);
}

}  // namespace octet
