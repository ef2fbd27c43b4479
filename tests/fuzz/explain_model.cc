// Models that could be read are inspected, explained and quantized, within a small budget of memory: each stage throws
// octet::Error or succeeds.
#include <cstdint>
#include <span>

#include "octet/base/error.h"
#include "octet/onnx/model_file.h"
#include "walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const octet::Model model = octet::parse_model(std::as_bytes(std::span(data, size)));
    octet::walk_inspection(model);
    octet::walk_explanation(model, size);
    octet::walk_quantization(model);
  } catch (const octet::Error&) {
  }
  return 0;
}
