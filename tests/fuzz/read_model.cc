// Bytes become a model or an octet::Error, nothing else. A model that was read can be written, and what was written is
// read as the same model.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "octet/base/error.h"
#include "octet/onnx/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  octet::Model model;
  try {
    model = octet::parse_model(std::as_bytes(std::span(data, size)));
  } catch (const octet::Error&) {
    return 0;
  }
  const std::string written = octet::serialize_model(model);
  if (octet::serialize_model(octet::parse_model(std::as_bytes(std::span(written)))) != written) std::abort();
  return 0;
}
