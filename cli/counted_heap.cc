#include "cli/counted_heap.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace octet::cli {
namespace {

// Threads count on their own, and tell in steps of this size.
constexpr std::int64_t kHeapStep = std::int64_t{64} << 10;
// What the program takes by itself: tables of operators, text, buffers.
constexpr std::int64_t kOwnHeap = std::int64_t{16} << 20;

constexpr std::int64_t kNoHeapLimit = std::numeric_limits<std::int64_t>::max() / 2;
std::atomic<std::int64_t> heap_limit{kNoHeapLimit}, heap_used{0};
thread_local std::int64_t heap_untold = 0;

void count_heap(std::int64_t bytes) {
  heap_untold += bytes;
  if (heap_untold < kHeapStep && heap_untold > -kHeapStep) return;
  heap_used += heap_untold;
  heap_untold = 0;
}

void* counted_memory(void* memory) {
  if (memory) count_heap(static_cast<std::int64_t>(::malloc_usable_size(memory)));
  return memory;
}

bool heap_allows(std::size_t size) {
  const std::int64_t left = heap_limit - heap_used;
  return left >= 0 && size <= static_cast<std::uint64_t>(left);
}

void* allocate_counted(std::size_t size) {
  return heap_allows(size) ? counted_memory(std::malloc(std::max<std::size_t>(size, 1))) : nullptr;
}

void* allocate_counted(std::size_t size, std::align_val_t alignment) {
  const auto at = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  void* memory = nullptr;
  return heap_allows(size) && ::posix_memalign(&memory, at, std::max<std::size_t>(size, 1)) == 0
             ? counted_memory(memory)
             : nullptr;
}

void* required_memory(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

void release_counted(void* memory) noexcept {
  if (!memory) return;
  count_heap(-static_cast<std::int64_t>(::malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

void give_freed_memory_back() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void limit_heap(std::int64_t bytes) {
  heap_limit = std::min(bytes, kNoHeapLimit - kOwnHeap) + kOwnHeap;
  give_freed_memory_back();
}

}  // namespace octet::cli

// The array and sized forms of the standard library call these.
void* operator new(std::size_t size) { return octet::cli::required_memory(octet::cli::allocate_counted(size)); }
void* operator new(std::size_t size, std::align_val_t at) {
  return octet::cli::required_memory(octet::cli::allocate_counted(size, at));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return octet::cli::allocate_counted(size); }
void* operator new(std::size_t size, std::align_val_t at, const std::nothrow_t&) noexcept {
  return octet::cli::allocate_counted(size, at);
}
void operator delete(void* memory) noexcept { octet::cli::release_counted(memory); }
void operator delete(void* memory, std::size_t) noexcept { octet::cli::release_counted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { octet::cli::release_counted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { octet::cli::release_counted(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { octet::cli::release_counted(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  octet::cli::release_counted(memory);
}
