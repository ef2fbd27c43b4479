// Models that could be read are lowered under every policy and run on the fast engine, within a small budget of memory: it
// ends as the reference engine does, with the same bits or with an error.
#include <cstdint>
#include <span>

#include "octet/base/error.h"
#include "octet/onnx/model_file.h"
#include "walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    octet::walk_engines(octet::parse_model(std::as_bytes(std::span(data, size))), size);
  } catch (const octet::Error&) {
  }
  return 0;
}
