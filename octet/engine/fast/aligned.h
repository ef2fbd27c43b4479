// aligned.h: vectors that begin where a cache line does, so that loads of whole registers stay inside one.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace octet::fast {

template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators are of any type

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <typename T>
using Aligned = std::vector<T, LineAllocator<T>>;

}  // namespace octet::fast
