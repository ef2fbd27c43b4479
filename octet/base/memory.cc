#include "octet/base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "octet/base/fail.h"
#include "octet/base/memory_budget.h"

namespace octet {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::align_val_t kHugePage{std::size_t{2} << 20};
constexpr std::size_t kHugeSize = std::size_t{4} << 20;

// The limit that a file of a control group holds; none where there is no such file or it says "max".
std::uint64_t limit_in(const std::string& path) {
  std::uint64_t limit = 0;
  return std::ifstream(path) >> limit ? limit : UINT64_MAX;
}

// The least limit of the groups from `group` up to the root of the hierarchy at `mount`.
std::uint64_t least_limit(const std::string& mount, std::string group, const std::string& file) {
  std::uint64_t least = limit_in(mount + "/" + file);
  for (; group.size() > 1; group.erase(group.rfind('/'))) least = std::min(least, limit_in(mount + group + "/" + file));
  return least;
}

// /proc/self/cgroup has a line "hierarchy:controllers:/group" for each; version 2's names no controllers.
std::uint64_t control_group_limit() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit("/sys/fs/cgroup", group, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::shared_ptr<std::byte> allocate_bytes(std::size_t size) {
  if (size == 0) return nullptr;
  MemoryCharge charge(size);
  const std::align_val_t alignment = size < kHugeSize ? kAlignment : kHugePage;
  void* memory = ::operator new(size, alignment, std::nothrow);
  if (!memory) fail(ErrorCode::kLimit, "{} bytes of memory are wanted, and not so many are left", size);
  if (alignment == kHugePage) static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));  // a wish, not a need
  return {static_cast<std::byte*>(memory),
          [alignment, charged = std::move(charge)](std::byte* p) { ::operator delete(p, alignment); }};
}

std::uint64_t machine_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  return std::min(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)), control_group_limit());
}

}  // namespace octet
