#include "octet/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "octet/base/memory_budget.h"
#include "octet/base/trip_limit.h"

namespace octet {
namespace {

thread_local bool inside_block = false;

struct Job {
  BlockFunction f;
  std::int64_t count = 0, block = 1;
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const std::shared_ptr<MemoryAccount> account = SharedBudget::of_this_thread();
  const TripLimit* const trips = SharedTripLimit::of_this_thread();

  void work() {
    const SharedBudget budget(account);
    const SharedTripLimit limit(trips);
    inside_block = true;
    for (;;) {
      const std::int64_t begin = next.fetch_add(block);
      if (begin >= count) break;
      try {
        f(begin, std::min(begin + block, count));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
    inside_block = false;
  }
};

// Small steps follow one another within microseconds, less than it takes to wake a thread: a waiting thread spins for a
// moment and then sleeps.
template <typename Condition>
bool soon(const Condition& condition, bool may_spin) {
  constexpr int kTurns = 1000;
  for (int turn = 0; may_spin && turn < kTurns; ++turn) {
    if (condition()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  return false;
}

}  // namespace

struct Parallel::Team {
  std::mutex mutex;
  std::condition_variable wake, done;
  Job* job = nullptr;  // null: threads can no longer join
  std::atomic<std::uint64_t> generation = 0;
  std::atomic<std::size_t> active = 0;  // helpers that have joined the job
  std::atomic<bool> stopping = false;
  bool may_spin = true;
  std::mutex one_job_at_a_time;
  std::vector<std::thread> helpers;

  // Also where there were threads for some of them only.
  ~Team() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }

  void help() {
    std::uint64_t seen = 0;
    for (;;) {
      const auto called = [&] { return stopping || generation != seen; };
      soon(called, may_spin);
      std::unique_lock lock(mutex);
      wake.wait(lock, called);
      if (stopping) return;
      seen = generation;
      if (job == nullptr) continue;  // the others were quicker
      Job* const mine = job;
      ++active;
      lock.unlock();
      mine->work();
      lock.lock();
      if (--active == 0) done.notify_one();
    }
  }

  void run(Job& mine) {
    {
      const std::lock_guard lock(mutex);
      job = &mine;
      ++generation;
    }
    wake.notify_all();
    mine.work();
    {
      const std::lock_guard lock(mutex);
      job = nullptr;
    }
    const auto finished = [&] { return active == 0; };
    soon(finished, may_spin);
    std::unique_lock lock(mutex);
    done.wait(lock, finished);
  }
};

Parallel::Parallel(int threads) : team_(std::make_unique<Team>()) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (threads <= 0) threads = cores;
  team_->may_spin = threads <= cores;
  team_->helpers.reserve(static_cast<std::size_t>(threads) - 1);
  for (int i = 1; i < threads; ++i) team_->helpers.emplace_back([team = team_.get()] { team->help(); });
}

Parallel::~Parallel() = default;

int Parallel::threads() const { return static_cast<int>(team_->helpers.size()) + 1; }

void Parallel::for_each_block(std::int64_t count, std::int64_t grain, BlockFunction f) const {
  if (count <= 0) return;
  // A few blocks per thread even out blocks of unequal cost.
  const std::int64_t wanted = std::int64_t{threads()} * 4;
  const std::int64_t block = std::max({grain, (count + wanted - 1) / wanted, std::int64_t{1}});
  if (threads() == 1 || block >= count || inside_block) return f(0, count);

  const std::unique_lock one_job(team_->one_job_at_a_time, std::try_to_lock);
  if (!one_job.owns_lock()) return f(0, count);
  Job job{.f = f, .count = count, .block = block};
  team_->run(job);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace octet
