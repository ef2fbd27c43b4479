// memory_budget.h: how much memory tensors may take together.
//
// What allocate_bytes hands out is counted from then until it is freed, by every budget around the thread that asked. The
// outermost is the default budget, which all threads share: three quarters of the machine's memory. Where a count would
// exceed its limit, nothing is allocated and kLimit is thrown.
//
// A budget is a scope of a thread and no option of a function, because everything that a call allocates counts, however deep.
#pragma once

#include <cstdint>
#include <memory>

namespace octet {

struct MemoryAccount;

// A limit for this thread and the threads that work for it (parallel.h) while it lives. Tensors may outlive it.
class MemoryBudget {
 public:
  enum class Around {
    kCounts,    // the budget around it counts the same bytes, and its limit holds too
    kReplaced,  // in its place, as for a caller who wants more than the default
  };

  explicit MemoryBudget(std::int64_t bytes, Around around = Around::kCounts);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::int64_t used() const;
  std::int64_t peak() const;  // the most that was in use at any time

 private:
  std::shared_ptr<MemoryAccount> account_, outer_;
};

// What every limit around this thread leaves.
std::int64_t memory_left();

// Bytes that are counted while this lives. Throws kLimit.
class MemoryCharge {
 public:
  explicit MemoryCharge(std::size_t bytes);
  ~MemoryCharge();
  MemoryCharge(MemoryCharge&& other) noexcept;
  MemoryCharge& operator=(MemoryCharge&&) = delete;

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::int64_t bytes_;
};

// A thread that works for another: while this lives, what it allocates counts where the other's does.
class SharedBudget {
 public:
  static std::shared_ptr<MemoryAccount> of_this_thread();
  explicit SharedBudget(std::shared_ptr<MemoryAccount> account);
  ~SharedBudget();
  SharedBudget(const SharedBudget&) = delete;
  SharedBudget& operator=(const SharedBudget&) = delete;

 private:
  std::shared_ptr<MemoryAccount> outer_;
};

}  // namespace octet
