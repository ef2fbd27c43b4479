#include "octet/base/memory.h"

#include <sys/mman.h>

#include <new>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::align_val_t kHugePage{std::size_t{2} << 20};
constexpr std::size_t kHugeSize = std::size_t{4} << 20;

}  // namespace

std::shared_ptr<std::byte> allocate_bytes(std::size_t size) {
  if (size == 0) return nullptr;
  const std::align_val_t alignment = size < kHugeSize ? kAlignment : kHugePage;
  void* memory = ::operator new(size, alignment, std::nothrow);
  if (!memory) fail(ErrorCode::kLimit, "{} bytes do not fit in memory", size);
  if (alignment == kHugePage) static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));  // a wish, not a need
  return {static_cast<std::byte*>(memory), [alignment](std::byte* p) { ::operator delete(p, alignment); }};
}

}  // namespace octet
