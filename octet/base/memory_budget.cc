#include "octet/base/memory_budget.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "octet/base/fail.h"
#include "octet/base/memory.h"

namespace octet {

struct MemoryAccount {
  std::atomic<std::int64_t> limit{0}, used{0}, peak{0};
  std::shared_ptr<MemoryAccount> outer;  // null of an outermost one

  std::int64_t left() const { return std::max<std::int64_t>(limit - used, 0); }
};

namespace {

using AccountPointer = std::shared_ptr<MemoryAccount>;

constexpr std::int64_t kLargestLimit = std::int64_t{1} << 60;  // sums of a few of them don't overflow

AccountPointer new_account(std::int64_t limit, AccountPointer outer) {
  auto account = std::make_shared<MemoryAccount>();
  account->limit = std::min(limit, kLargestLimit);
  account->outer = std::move(outer);
  return account;
}

const AccountPointer& default_account() {
  static const AccountPointer account = new_account(static_cast<std::int64_t>(machine_memory() / 4) * 3, nullptr);
  return account;
}

thread_local AccountPointer innermost;

const AccountPointer& current_account() { return innermost ? innermost : default_account(); }

void raise_peak(MemoryAccount& account, std::int64_t used) {
  std::int64_t peak = account.peak;
  while (peak < used && !account.peak.compare_exchange_weak(peak, used)) {
  }
}

// "512 bytes", "1.5 MiB", "8 GiB"
std::string size_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size > 999 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.4g} {}", size, kUnits[unit]);
}

void subtract_bytes(MemoryAccount* account, const MemoryAccount* end, std::int64_t bytes) {
  for (; account != end; account = account->outer.get()) account->used -= bytes;
}

// Adds to `account` and those around it; all or none.
void add_bytes(MemoryAccount* account, std::int64_t bytes) {
  for (MemoryAccount* each = account; each; each = each->outer.get()) {
    const std::int64_t limit = each->limit;
    const std::int64_t used = bytes > limit ? limit : each->used += bytes;
    if (bytes <= limit && used <= limit) {
      raise_peak(*each, used);
      continue;
    }
    subtract_bytes(account, bytes > limit ? each : each->outer.get(), bytes);
    std::string wanted = size_text(bytes), left = size_text(each->left());
    if (wanted == left) wanted = fmt::format("{} bytes", bytes), left = fmt::format("{} bytes", each->left());
    fail(ErrorCode::kLimit, "{} of memory are wanted, and {} of {} are left", wanted, left, size_text(limit));
  }
}

}  // namespace

MemoryBudget::MemoryBudget(std::int64_t bytes, Around around)
    : account_(new_account(bytes, around == Around::kCounts ? current_account() : nullptr)), outer_(innermost) {
  innermost = account_;
}

MemoryBudget::~MemoryBudget() { innermost = outer_; }

std::int64_t MemoryBudget::used() const { return account_->used; }
std::int64_t MemoryBudget::peak() const { return account_->peak; }

std::int64_t memory_left() {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (const MemoryAccount* each = current_account().get(); each; each = each->outer.get())
    left = std::min(left, each->left());
  return left;
}

MemoryCharge::MemoryCharge(std::size_t bytes) : account_(current_account()), bytes_(static_cast<std::int64_t>(bytes)) {
  add_bytes(account_.get(), bytes_);
}

MemoryCharge::~MemoryCharge() { subtract_bytes(account_.get(), nullptr, bytes_); }

MemoryCharge::MemoryCharge(MemoryCharge&& other) noexcept : account_(std::move(other.account_)), bytes_(other.bytes_) {}

std::shared_ptr<MemoryAccount> SharedBudget::of_this_thread() { return innermost; }

SharedBudget::SharedBudget(std::shared_ptr<MemoryAccount> account)
    : outer_(std::exchange(innermost, std::move(account))) {}

SharedBudget::~SharedBudget() { innermost = outer_; }

}  // namespace octet
