// grain.h: how finely work is cut for threads.
#pragma once

#include <cstdint>

namespace octet {

// Elements per block of an operator that moves or maps them one by one: enough that handing a block to a thread costs
// little against it.
inline constexpr std::int64_t kElementGrain = 16384;

// Multiply-adds that are worth a thread.
inline constexpr std::int64_t kWorkPerBlock = 1 << 16;

}  // namespace octet
