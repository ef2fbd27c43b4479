#include "octet/text/element_json.h"

namespace octet {

Json element_json(const Tensor& tensor, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  switch (tensor.dtype()) {
    case DType::kString: return tensor.strings()[at];
    case DType::kComplex64:
    case DType::kComplex128: return nullptr;
    case DType::kDouble: return json_number(tensor.number_at(index));
    case DType::kBool: return tensor.as<bool>()[at];
    case DType::kUint64: return tensor.as<std::uint64_t>()[at];
    default: break;
  }
  if (is_float(tensor.dtype()) || is_minifloat(tensor.dtype()))
    return json_number(static_cast<float>(tensor.number_at(index)));
  return tensor.int_at(index);
}

Json number_json(const Tensor& tensor, std::int64_t index) {
  return tensor.dtype() == DType::kBool ? Json(tensor.int_at(index)) : element_json(tensor, index);
}

}  // namespace octet
