// parallel.h: a thread pool for independent blocks of work, of one caller or shared by several.
#pragma once

#include <cstdint>
#include <memory>

namespace octet {

// A non-owning reference to a function of a block. The function must outlive it; copying allocates nothing.
class BlockFunction {
 public:
  template <typename F>
  BlockFunction(const F& f)  // NOLINT(google-explicit-constructor): a function is one
      : object_(&f), call_([](const void* object, std::int64_t begin, std::int64_t end) {
          (*static_cast<const F*>(object))(begin, end);
        }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

// Blocks must not depend on one another, so results do not depend on the number of threads.
class Parallel {
 public:
  // 0 means one thread per core of this machine.
  explicit Parallel(int threads = 0);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  int threads() const;

  // Calls f(begin, end) until [0, count) is covered, in blocks of at least `grain` indices. Runs in the calling thread alone when
  // there is one block only, when called from inside a block, and while the pool works for another caller, so that callers do not
  // wait for each other. May be called by several threads. The first exception thrown by a block is rethrown.
  void for_each_block(std::int64_t count, std::int64_t grain, BlockFunction f) const;

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

}  // namespace octet
