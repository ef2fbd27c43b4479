#include "octet/base/trip_limit.h"

#include <utility>

#include "octet/base/fail.h"

namespace octet {
namespace {

thread_local const TripLimit* innermost_trips = nullptr;

}  // namespace

TripLimit::TripLimit(std::int64_t most, Progress progress)
    : most_(most), progress_(std::move(progress)), outer_(std::exchange(innermost_trips, this)) {}

TripLimit::~TripLimit() { innermost_trips = outer_; }

void TripLimit::begin_trip(std::int64_t done, std::int64_t most) {
  for (const TripLimit* limit = innermost_trips; limit; limit = limit->outer_) {
    if (done >= limit->most_)
      fail(ErrorCode::kLimit, "the loop goes on after {} trips, the most that are allowed", done);
    if (!limit->progress_) continue;
    const std::lock_guard lock(limit->mutex_);
    limit->progress_(static_cast<std::size_t>(done), static_cast<std::size_t>(most));
  }
}

const TripLimit* SharedTripLimit::of_this_thread() { return innermost_trips; }

SharedTripLimit::SharedTripLimit(const TripLimit* limit) : outer_(std::exchange(innermost_trips, limit)) {}

SharedTripLimit::~SharedTripLimit() { innermost_trips = outer_; }

}  // namespace octet
