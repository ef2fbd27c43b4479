#include "octet/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "octet/base/memory_budget.h"

namespace octet {
namespace {

thread_local bool inside_block = false;

struct Job {
  const std::function<void(std::int64_t, std::int64_t)>* f = nullptr;
  std::int64_t count = 0, block = 1;
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const std::shared_ptr<MemoryAccount> account = SharedBudget::of_this_thread();

  void work() {
    const SharedBudget budget(account);
    inside_block = true;
    for (;;) {
      const std::int64_t begin = next.fetch_add(block);
      if (begin >= count) break;
      try {
        (*f)(begin, std::min(begin + block, count));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
    inside_block = false;
  }
};

}  // namespace

struct Parallel::Team {
  std::mutex mutex;
  std::condition_variable wake, done;
  Job* job = nullptr;
  std::uint64_t generation = 0;
  std::size_t busy = 0;
  bool stopping = false;
  std::mutex one_job_at_a_time;
  std::vector<std::thread> helpers;

  void help() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) return;
      seen = generation;
      Job* mine = job;
      lock.unlock();
      mine->work();
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

Parallel::Parallel(int threads) : team_(std::make_unique<Team>()) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i < threads; ++i) team_->helpers.emplace_back([team = team_.get()] { team->help(); });
}

Parallel::~Parallel() {
  {
    const std::lock_guard lock(team_->mutex);
    team_->stopping = true;
  }
  team_->wake.notify_all();
  for (std::thread& helper : team_->helpers) helper.join();
}

int Parallel::threads() const { return static_cast<int>(team_->helpers.size()) + 1; }

void Parallel::for_each_block(std::int64_t count, std::int64_t grain,
                              const std::function<void(std::int64_t, std::int64_t)>& f) const {
  if (count <= 0) return;
  // A few blocks per thread even out blocks of unequal cost.
  const std::int64_t wanted = std::int64_t{threads()} * 4;
  const std::int64_t block = std::max({grain, (count + wanted - 1) / wanted, std::int64_t{1}});
  if (threads() == 1 || block >= count || inside_block) return f(0, count);

  const std::lock_guard one_job(team_->one_job_at_a_time);
  Job job;
  job.f = &f;
  job.count = count;
  job.block = block;
  {
    const std::lock_guard lock(team_->mutex);
    team_->job = &job;
    team_->busy = team_->helpers.size();
    ++team_->generation;
  }
  team_->wake.notify_all();
  job.work();
  std::unique_lock lock(team_->mutex);
  team_->done.wait(lock, [&] { return team_->busy == 0; });
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace octet
