// Models that could be read go through the passes over graphs and become programs, which throws octet::Error or
// succeeds.
#include <cstdint>
#include <span>

#include "octet/base/error.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/infer.h"
#include "octet/graph/validate.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    octet::Model model = octet::expand_functions(octet::parse_model(std::as_bytes(std::span(data, size))));
    octet::validate(model);
    octet::infer(model);
    for (const octet::Policy policy : {octet::Policy::kAsWritten, octet::Policy::kExact, octet::Policy::kOnnxRuntime})
      octet::validate(octet::to_model(octet::lower(model, policy)));
  } catch (const octet::Error&) {
  }
  return 0;
}
