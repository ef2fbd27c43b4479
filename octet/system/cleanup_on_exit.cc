#include "octet/system/cleanup_on_exit.h"

#include <mutex>

namespace octet {
namespace {

struct CleanupList {
  std::mutex mutex;
  std::list<std::function<void()>> removals;
};

// Never destroyed: a process may be ended while it exits.
CleanupList& cleanups() {
  static auto* const list = new CleanupList;
  return *list;
}

}  // namespace

CleanupOnExit::CleanupOnExit(const std::function<void()>& make, std::function<void()> remove) {
  CleanupList& list = cleanups();
  const std::lock_guard lock(list.mutex);
  make();
  list.removals.push_front(std::move(remove));
  place_ = list.removals.begin();
}

CleanupOnExit::~CleanupOnExit() {
  CleanupList& list = cleanups();
  const std::lock_guard lock(list.mutex);
  list.removals.erase(place_);
}

void clean_up_now() {
  CleanupList& list = cleanups();
  list.mutex.lock();
  for (const std::function<void()>& remove : list.removals) remove();
}

}  // namespace octet
