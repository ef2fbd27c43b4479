#include "python/src/work.h"

#include <atomic>
#include <condition_variable>

#include "octet/base/fail.h"

namespace octet::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook(20);          // between two looks at signals and progress
constexpr std::chrono::milliseconds kPatience(700);     // for interrupted work to end by itself
constexpr std::chrono::milliseconds kAtTheEnd(10'000);  // for abandoned work when Python ends

// Threads that work; those that were abandoned are among them until they end.
std::mutex threads_mutex;
std::condition_variable thread_finished;
int threads_running = 0;

}  // namespace

struct Work::State {
  nb::object show, warn;
  WorkLimits limits;
  std::atomic<bool> stopped = false;

  std::mutex mutex;
  std::string label;
  std::size_t done = 0, total = 0;
  bool moved = false;
  std::deque<std::string> warnings;

  ~State() {
    if (!show.is_valid()) return;
    const nb::gil_scoped_acquire gil;
    show.reset();
    warn.reset();
  }

  // With Python's lock.
  void report() {
    std::deque<std::string> said;
    std::string what;
    std::size_t now = 0, all = 0;
    bool shows = false;
    {
      const std::lock_guard lock(mutex);
      said.swap(warnings);
      what = label;
      now = done;
      all = total;
      shows = std::exchange(moved, false);
    }
    for (const std::string& text : said) warn(to_text(text));
    if (shows && !show.is_none()) show(to_text(what), now, all);
  }
};

Work::Work(nb::object show, nb::object warn, WorkLimits limits) : state_(std::make_shared<State>()) {
  state_->show = std::move(show);
  state_->warn = std::move(warn);
  state_->limits = limits;
}

Progress Work::progress(std::string label) const {
  return [state = state_, label = std::move(label)](std::size_t done, std::size_t total) {
    if (state->stopped) fail(ErrorCode::kCancelled, "stopped by the user");
    const std::lock_guard lock(state->mutex);
    state->label = label;
    state->done = done;
    state->total = total;
    state->moved = true;
  };
}

void Work::warn(std::string text) const {
  const std::lock_guard lock(state_->mutex);
  state_->warnings.push_back(std::move(text));
}

std::function<void(const std::string&)> Work::notes() const {
  return [work = *this](const std::string& text) { work.warn(text); };
}

Work::Scope::Scope(const State& state) {
  if (state.limits.memory) budget_.emplace(*state.limits.memory, MemoryBudget::Around::kReplaced);
  // The state outlives the thread, which holds it.
  trips_.emplace(state.limits.trips, [&state](std::size_t, std::size_t) {
    if (state.stopped) fail(ErrorCode::kCancelled, "stopped by the user");
  });
}

Work::Scope::~Scope() = default;

void Work::attend(std::thread& thread, const std::function<bool(std::chrono::milliseconds)>& is_done) const {
  {
    const std::lock_guard lock(threads_mutex);
    ++threads_running;
  }
  const auto wait = [&](std::chrono::milliseconds time) {
    const nb::gil_scoped_release released;
    return is_done(time);
  };
  const auto leave = [&] {
    state_->stopped = true;
    if (wait(kPatience))
      thread.join();
    else
      thread.detach();
    throw nb::python_error();  // the exception that is set
  };
  for (bool done = false; !done;) {
    done = wait(kLook);
    if (PyErr_CheckSignals() != 0) leave();
    try {
      state_->report();
    } catch (nb::python_error& error) {
      error.restore();
      leave();
    }
  }
  const nb::gil_scoped_release released;
  thread.join();
}

void Work::finish_thread() {
  const std::lock_guard lock(threads_mutex);
  --threads_running;
  thread_finished.notify_all();
}

void wait_for_abandoned_work() {
  const nb::gil_scoped_release released;
  std::unique_lock lock(threads_mutex);
  thread_finished.wait_for(lock, kAtTheEnd, [] { return threads_running == 0; });
}

}  // namespace octet::python
