#include "octet/base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

namespace octet {
namespace {

TEST(Memory, BeginsAtA64ByteBoundary) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{65}, std::size_t{4} << 20, (std::size_t{8} << 20) + 1}) {
    const std::shared_ptr<std::byte> memory = allocate_bytes(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0) << size;
    memory.get()[0] = memory.get()[size - 1] = std::byte{1};
  }
}

TEST(Memory, OfNoBytesIsNull) { EXPECT_EQ(allocate_bytes(0), nullptr); }

TEST(Memory, OfTheMachineIsSomethingAndNoMoreThanThereIs) {
  EXPECT_GE(machine_memory(), std::uint64_t{64} << 20);
  EXPECT_LE(machine_memory(), static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace octet
