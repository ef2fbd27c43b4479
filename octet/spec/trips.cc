#include "octet/spec/trips.h"

#include <atomic>
#include <limits>
#include <mutex>

#include "octet/base/fail.h"

namespace octet {
namespace {

std::atomic<std::int64_t> most_trips{std::numeric_limits<std::int64_t>::max()};
std::atomic<bool> is_watched{false};

struct TripWatch {
  std::mutex mutex;
  Progress progress;
};

TripWatch& trip_watch() {
  static TripWatch watch;
  return watch;
}

}  // namespace

void set_most_trips(std::int64_t trips) { most_trips = trips; }

void set_trip_progress(Progress progress) {
  const std::lock_guard lock(trip_watch().mutex);
  is_watched = static_cast<bool>(progress);
  trip_watch().progress = std::move(progress);
}

void begin_trip(std::int64_t done, std::int64_t most) {
  if (done >= most_trips) fail(ErrorCode::kLimit, "the loop goes on after {} trips, the most that are allowed", done);
  if (!is_watched) return;
  const std::lock_guard lock(trip_watch().mutex);
  if (trip_watch().progress) trip_watch().progress(static_cast<std::size_t>(done), static_cast<std::size_t>(most));
}

}  // namespace octet
