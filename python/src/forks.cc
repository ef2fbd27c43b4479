#include "python/src/forks.h"

#include <pthread.h>

namespace octet::python {
namespace {

std::uint64_t count = 0;

}  // namespace

std::uint64_t forks() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++count; });
  static_cast<void>(registered);
  return count;
}

}  // namespace octet::python
