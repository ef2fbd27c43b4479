// counted_heap.h: --memory for everything that the command allocates, not for tensors alone.
#pragma once

#include <cstdint>

namespace octet::cli {

// From now on an allocation by operator new that would take the process beyond this many bytes fails with bad_alloc.
// Tensors count twice over: here, and in the budget (memory_budget.h), whose messages say what they were for.
void limit_heap(std::int64_t bytes);

// By default the heap keeps the place of freed tensors, in holes that the next ones do not fit: two to three times of what is
// in use at any time.
void give_freed_memory_back();

}  // namespace octet::cli
