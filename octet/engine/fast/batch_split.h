// batch_split.h: when a batch is cut into slices of a few images.
#pragma once

#include <cstdint>

namespace octet::fast {

// In bytes of the values that are alive together.
struct BatchSplit {
  std::int64_t near = 1 << 18;    // of a slice: half of what a core's second cache holds, beside its weights
  std::int64_t least = 64 << 10;  // less of all images is not worth it
};

}  // namespace octet::fast
