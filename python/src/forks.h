// forks.h: what has threads does not survive a fork: in the child process it is made anew.
#pragma once

#include <cstdint>
#include <memory>

namespace octet::python {

// Grows in a child process.
std::uint64_t forks();

// Deletes what was made in this process, and leaves alone what came from its parent: to delete that would be to wait for
// threads that are not there.
struct DeleteUnlessForked {
  std::uint64_t made = forks();
  template <typename T>
  void operator()(T* object) const {
    if (made == forks()) delete object;
  }
};

}  // namespace octet::python
