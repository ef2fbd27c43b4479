// latest.h: what was made for the latest keys, to be had again.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace octet::fast {

// Up to so many, the one that was not asked for the longest making room. Null is remembered like any other. May be used by
// several threads; what is there is found without an allocation.
template <typename Key, typename Made>
class Latest {
 public:
  using Pointer = std::shared_ptr<const Made>;

  explicit Latest(std::size_t most) : most_(most) {}

  // The one whose key equals `key`, which may be of another type; else what `make(key)` gives, a pair of the key to keep and
  // the pointer. What it throws is passed on, and nothing is remembered.
  template <typename Sought, typename Make>
  Pointer get(const Sought& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (entry->first == key) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->second;
      }
    entries_.push_front(make(key));
    if (entries_.size() > most_) entries_.pop_back();
    return entries_.front().second;
  }

  // From now on there is none for its key.
  void give_up(const Made& made) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, pointer] : entries_)
      if (pointer.get() == &made) pointer.reset();
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<Key, Pointer>> entries_;  // the latest first
};

}  // namespace octet::fast
