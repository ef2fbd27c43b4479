#include "octet/quantize/choice_names.h"

#include <fmt/ranges.h>

#include "octet/base/fail.h"

namespace octet {

void fail_choice(std::string_view word, const std::vector<std::string>& words) {
  fail(ErrorCode::kUsage, "there is no choice {}; wanted {}", word, fmt::join(words, ", "));
}

DType wide_type(DType activations) {
  return activations == DType::kUint8 || activations == DType::kUint16 ? DType::kUint16 : DType::kInt16;
}

DType activations_for(Deployment target) {
  return target == Deployment::kOnnxRuntimeX86 ? DType::kUint8 : DType::kInt8;
}

}  // namespace octet
