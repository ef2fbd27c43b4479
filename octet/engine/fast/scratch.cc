#include <array>

#include "octet/base/memory.h"
#include "octet/engine/fast/kernel.h"

namespace octet::fast {
namespace {

struct ScratchBuffer {
  std::shared_ptr<std::byte> bytes;
  std::size_t size = 0;
};

}  // namespace

std::byte* scratch(std::size_t bytes, Use use) {
  thread_local std::array<ScratchBuffer, 2> buffers;
  ScratchBuffer& buffer = buffers[static_cast<std::size_t>(use)];
  if (bytes > buffer.size) {
    buffer = {};  // before the larger one is asked for
    buffer = {allocate_bytes(bytes), bytes};
  }
  return buffer.bytes.get();
}

}  // namespace octet::fast
