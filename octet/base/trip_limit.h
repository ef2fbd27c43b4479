// trip_limit.h: how many trips a Loop may make.
//
// A file decides how long a Loop runs; the caller decides how long to wait. The limit is a scope of the calling thread, as a
// MemoryBudget is, so that it holds for every network that a call runs, however deep in a workflow, and two threads may
// have different limits.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

#include "octet/base/progress.h"

namespace octet {

// While it lives, a Loop in this thread, or in the threads that work for it (parallel.h), that would make more than `most` trips
// ends with kLimit. Limits nest: all of them hold. Without one there is no limit.
class TripLimit {
 public:
  // `progress` is called before every trip, by one thread at a time, with the number of trips done and the most there may be.
  explicit TripLimit(std::int64_t most = std::numeric_limits<std::int64_t>::max(), Progress progress = {});
  ~TripLimit();
  TripLimit(const TripLimit&) = delete;
  TripLimit& operator=(const TripLimit&) = delete;

  // What a Loop calls before a trip, when it has made `done` of at most `most`. Throws kLimit.
  static void begin_trip(std::int64_t done, std::int64_t most);

 private:
  const std::int64_t most_;
  const Progress progress_;
  mutable std::mutex mutex_;
  const TripLimit* const outer_;
};

// A thread that works for another: while this lives, the other's limits hold for it.
class SharedTripLimit {
 public:
  static const TripLimit* of_this_thread();
  explicit SharedTripLimit(const TripLimit* limit);
  ~SharedTripLimit();
  SharedTripLimit(const SharedTripLimit&) = delete;
  SharedTripLimit& operator=(const SharedTripLimit&) = delete;

 private:
  const TripLimit* const outer_;
};

}  // namespace octet
