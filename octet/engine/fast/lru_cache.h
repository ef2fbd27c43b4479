// lru_cache.h: what was made for the latest keys, to be had again.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace octet::fast {

// Values, whose type has `std::int64_t bytes() const`, by group and key; those that were not asked for the longest make room. Null is
// remembered like any other. Thread-safe: only threads that ask for a value which another thread is making wait for it. Finding a
// value allocates nothing.
template <typename Key, typename Value>
class LruCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  // Up to so many bytes, as values take them when they were last asked for; the latest one is kept whatever it takes.
  explicit LruCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // The one of the group, of which there are `most` at a time, whose key equals `request`, which may be of another type; else
  // what `make(Key(request))` gives. What it throws is passed on, and nothing is remembered.
  template <typename Request, typename Make>
  Pointer get(std::size_t group, std::size_t most, const Request& request, const Make& make) {
    std::unique_lock lock(mutex_);
    while (const SlotPointer slot = find(group, request)) {
      made_.wait(lock, [&] { return slot->state != State::kBeingMade; });
      if (slot->state == State::kFailed) continue;
      settle(slot, most);
      return slot->value;
    }
    const SlotPointer slot = insert(group, Key(request));
    lock.unlock();
    try {
      Pointer value = make(slot->key);
      lock.lock();
      slot->value = value;
      slot->state = State::kMade;
      made_.notify_all();
      settle(slot, most);
      return value;
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      slot->state = State::kFailed;
      made_.notify_all();
      remove(*slot);
      throw;
    }
  }

  std::int64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  // From now on there is none for its key.
  void give_up(const Value& value) {
    const std::lock_guard lock(mutex_);
    for (const SlotPointer& slot : slots_)
      if (slot->value.get() == &value) {
        slot->value.reset();
        measure(*slot);
      }
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    for (const SlotPointer& slot : slots_) slot->is_kept = false;
    slots_.clear();
    groups_.clear();
    bytes_ = 0;
  }

 private:
  enum class State { kBeingMade, kMade, kFailed };
  struct Slot;
  using SlotPointer = std::shared_ptr<Slot>;
  struct Slot {
    Slot(std::size_t of, Key k) : group(of), key(std::move(k)) {}

    const std::size_t group;
    const Key key;
    State state = State::kBeingMade;
    Pointer value;
    std::int64_t bytes = 0;  // as they are counted
    bool is_kept = true;
    typename std::list<SlotPointer>::iterator place;
  };

  // As the latest of all and of its group; null where there is none.
  template <typename Request>
  SlotPointer find(std::size_t group, const Request& request) {
    const auto members = groups_.find(group);
    if (members == groups_.end()) return nullptr;
    std::vector<SlotPointer>& slots = members->second;
    const auto found = std::find_if(slots.begin(), slots.end(), [&](const auto& slot) { return slot->key == request; });
    if (found == slots.end()) return nullptr;
    std::rotate(slots.begin(), found, std::next(found));
    slots_.splice(slots_.begin(), slots_, slots.front()->place);
    return slots.front();
  }

  SlotPointer insert(std::size_t group, Key key) {
    auto slot = std::make_shared<Slot>(group, std::move(key));
    slots_.push_front(slot);
    slot->place = slots_.begin();
    std::vector<SlotPointer>& slots = groups_[group];
    slots.insert(slots.begin(), slot);
    return slot;
  }

  void remove(Slot& slot) {
    if (!std::exchange(slot.is_kept, false)) return;
    bytes_ -= slot.bytes;
    const auto members = groups_.find(slot.group);
    std::erase_if(members->second, [&](const SlotPointer& other) { return other.get() == &slot; });
    if (members->second.empty()) groups_.erase(members);
    slots_.erase(slot.place);
  }

  void measure(Slot& slot) {
    if (!slot.is_kept) return;
    bytes_ -= slot.bytes;
    slot.bytes = slot.value ? slot.value->bytes() : 0;
    bytes_ += slot.bytes;
  }

  // Counts what the slot takes, and makes room for it.
  void settle(const SlotPointer& latest, std::size_t most) {
    measure(*latest);
    const auto may_go = [&](const SlotPointer& slot) { return slot != latest && slot->state == State::kMade; };
    for (auto members = groups_.find(latest->group); members != groups_.end() && members->second.size() > most;) {
      const auto last = std::find_if(members->second.rbegin(), members->second.rend(), may_go);
      if (last == members->second.rend()) break;
      const SlotPointer oldest = *last;
      remove(*oldest);  // the group stays: the latest is in it, or it was cleared
      members = groups_.find(latest->group);
    }
    while (bytes_ > most_bytes_) {
      const auto last = std::find_if(slots_.rbegin(), slots_.rend(), may_go);
      if (last == slots_.rend()) break;
      const SlotPointer oldest = *last;
      remove(*oldest);
    }
  }

  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  std::list<SlotPointer> slots_;                                      // the latest first
  std::unordered_map<std::size_t, std::vector<SlotPointer>> groups_;  // likewise
  std::int64_t bytes_ = 0;
};

}  // namespace octet::fast
