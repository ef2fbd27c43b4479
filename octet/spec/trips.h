// trips.h: how often a Loop may go round, and who is told of it.
//
// Both are of the whole process, as the memory limit is (memory_budget.h): a file decides how long a Loop runs, and the
// person in front of the machine how long to wait for it.
#pragma once

#include <cstdint>

#include "octet/base/progress.h"

namespace octet {

// A Loop that would go round more often ends with kLimit. There is no limit unless set.
void set_most_trips(std::int64_t trips);

// Called before every trip of every Loop, by one thread at a time, with the number of trips done and the most there may be.
void set_trip_progress(Progress progress);

// What a Loop calls before a trip. Throws kLimit.
void begin_trip(std::int64_t done, std::int64_t most);

}  // namespace octet
