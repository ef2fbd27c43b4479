// Models that could be read are lowered under every policy, written back and run on the reference engine, within a small
// budget of memory: each stage throws octet::Error or succeeds.
#include <cstdint>
#include <span>

#include "octet/base/error.h"
#include "octet/onnx/model_file.h"
#include "walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    octet::walk_run(octet::parse_model(std::as_bytes(std::span(data, size))), size);
  } catch (const octet::Error&) {
  }
  return 0;
}
