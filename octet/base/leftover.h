// leftover.h: what a process must not leave behind when it is ended from outside: temporary files and folders, children.
#pragma once

#include <functional>
#include <list>

namespace octet {

// Something that exists for as long as this does. Whoever made it removes it in the ordinary way; the list of all of them
// is for an application that is about to be ended by a signal.
class Leftover {
 public:
  // Calls `make` at once. No call of remove_leftovers comes between the making and the entry in the list. What `make`
  // throws is passed on, and nothing is entered.
  Leftover(const std::function<void()>& make, std::function<void()> remove);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

// Removes everything in the list, the newest first, and keeps every other thread from making or forgetting anything
// ever after: for the last moments of a process. Call it from an ordinary thread, not from a signal handler.
void remove_leftovers();

}  // namespace octet
