#include "octet/spec/quantized/minifloat.h"

#include "octet/base/fail.h"

namespace octet {

void refuse_minifloat(const Call& call) {
  for (std::size_t k = 0; k < call.input_count(); ++k)
    if (call.has(k) && is_minifloat(call.input(k).dtype()))
      fail(ErrorCode::kUnsupported, "input {} is {}: shown, but not computed", k, name(call.input(k).dtype()));
  for (std::size_t k = 0; k < call.output_count(); ++k)
    if (is_minifloat(call.output_dtype(k)))
      fail(ErrorCode::kUnsupported, "output {} is {}: shown, but not computed", k, name(call.output_dtype(k)));
}

}  // namespace octet
