// place_buffers.h: offsets for stretches of memory of which it is known when they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octet {

struct PlacedBuffer {
  std::int64_t bytes = 0;           // at least 1
  std::size_t first = 0, last = 0;  // the times from which and to which it is needed, both included
  std::int64_t offset = 0;
};

// Sets the offsets, so that buffers that are needed at one time don't overlap, and returns the end of the last one.
// Offsets are sums of sizes: multiples of whatever all sizes are multiples of. Their sum must fit int64.
std::int64_t place_buffers(std::vector<PlacedBuffer>& buffers);

}  // namespace octet
