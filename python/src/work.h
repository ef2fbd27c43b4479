// work.h: long work of a call: it runs without Python's lock, reports how far it is, and ends when the user asks for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "octet/base/memory_budget.h"
#include "octet/base/progress.h"
#include "octet/base/trip_limit.h"
#include "python/src/python.h"

namespace octet::python {

// What the work may take.
struct WorkLimits {
  std::optional<std::int64_t> memory;                             // bytes for tensors; else the library's default
  std::int64_t trips = std::numeric_limits<std::int64_t>::max();  // of a Loop
};

// The calling thread waits, shows progress and hears of signals; a thread of its own works. A handle: copies are the same.
class Work {
 public:
  // `show(label, done, total)` and `warn(text)` are called in the calling thread, with Python's lock.
  Work(nb::object show, nb::object warn, WorkLimits limits = {});

  // For any thread.
  Progress progress(std::string label) const;
  void warn(std::string text) const;
  std::function<void(const std::string&)> notes() const;

  // What f() gives. Where the user interrupts, KeyboardInterrupt is raised within a second: `f` is told by the next call of a
  // progress, and if there is none soon, it goes on without anybody who waits for it. So `f` must own what it uses.
  template <typename F>
  std::invoke_result_t<F&> run(F f) const {
    using Result = std::invoke_result_t<F&>;
    auto task = std::make_shared<std::packaged_task<Result()>>([state = state_, work = std::move(f)]() mutable {
      const Scope scope(*state);
      return work();
    });
    std::future<Result> result = task->get_future();
    std::thread thread([task]() mutable {
      (*task)();
      task.reset();
      finish_thread();
    });
    attend(thread,
           [&result](std::chrono::milliseconds time) { return result.wait_for(time) == std::future_status::ready; });
    task.reset();
    return result.get();
  }

 private:
  struct State;
  // The limits of the thread that works.
  class Scope {
   public:
    explicit Scope(const State& state);
    ~Scope();

   private:
    std::optional<MemoryBudget> budget_;
    std::optional<TripLimit> trips_;
  };

  // Until the thread is done; throws, and leaves it alone, where the user interrupts.
  void attend(std::thread& thread, const std::function<bool(std::chrono::milliseconds)>& is_done) const;
  static void finish_thread();

  std::shared_ptr<State> state_;
};

// Waits a while for work that was left alone. Called when Python ends.
void wait_for_abandoned_work();

}  // namespace octet::python
