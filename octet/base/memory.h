// memory.h: memory for elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace octet {

// `size` uninitialized bytes that begin at a 64-byte boundary; null for none. From 4 MiB on the system is asked for
// huge pages: where it has them, the first touch of a large tensor takes a fifth of the time. They count
// against the memory budget (memory_budget.h) until they are freed. Throws kLimit when there is not enough memory.
std::shared_ptr<std::byte> allocate_bytes(std::size_t size);

// The bytes that this process may use at most: the machine's memory, or what its control groups leave of it.
std::uint64_t machine_memory();

}  // namespace octet
