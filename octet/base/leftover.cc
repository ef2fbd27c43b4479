#include "octet/base/leftover.h"

#include <mutex>

namespace octet {
namespace {

struct LeftoverList {
  std::mutex mutex;
  std::list<std::function<void()>> removals;
};

// Never destroyed: a process may be ended while it exits.
LeftoverList& leftovers() {
  static auto* const list = new LeftoverList;
  return *list;
}

}  // namespace

Leftover::Leftover(const std::function<void()>& make, std::function<void()> remove) {
  LeftoverList& list = leftovers();
  const std::lock_guard lock(list.mutex);
  make();
  list.removals.push_front(std::move(remove));
  place_ = list.removals.begin();
}

Leftover::~Leftover() {
  LeftoverList& list = leftovers();
  const std::lock_guard lock(list.mutex);
  list.removals.erase(place_);
}

void remove_leftovers() {
  LeftoverList& list = leftovers();
  list.mutex.lock();
  for (const std::function<void()>& remove : list.removals) remove();
}

}  // namespace octet
