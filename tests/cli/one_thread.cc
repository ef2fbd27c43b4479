// one_thread.cc: put before the C library (LD_PRELOAD), it lets a process start one thread, which octet needs to wait for
// signals, and no other.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) {
  static std::atomic<int> started{0};
  if (started++ > 0) return EAGAIN;
  const auto real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, run, argument);
}
