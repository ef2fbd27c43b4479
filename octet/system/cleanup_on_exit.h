// cleanup_on_exit.h: removes temporary files, folders and child processes when a signal ends the process.
#pragma once

#include <functional>
#include <list>

namespace octet {

// Registers a cleanup action for its lifetime. The owner still releases the resource itself on the normal path; the registered
// action runs only in clean_up_now().
class CleanupOnExit {
 public:
  // Calls `make` and registers `remove` as one step: clean_up_now() never runs in between. If `make` throws, nothing is
  // registered and the exception propagates.
  CleanupOnExit(const std::function<void()>& make, std::function<void()> remove);
  ~CleanupOnExit();
  CleanupOnExit(const CleanupOnExit&) = delete;
  CleanupOnExit& operator=(const CleanupOnExit&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

// Runs every registered action, newest first, then blocks all further registration: call it right before the process ends.
// Call it from an ordinary thread, never from a signal handler.
void clean_up_now();

}  // namespace octet
